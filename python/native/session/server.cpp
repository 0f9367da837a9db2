/// tf.train.ClusterSpec and Server.

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"

#include <flowray/errors.h>
#include <flowray/tf/server.h>

#include <fmt/format.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>

namespace flowray::python {

tf::SessionConfig session_config(nb::handle config);

namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

/// "" for None. Takes what has __fspath__, too.
std::string path_of(nb::handle path) {
  if (path.is_none()) return {};
  PyObject* text = PyOS_FSPath(path.ptr());
  if (text == nullptr) throw nb::python_error();
  return as_text(nb::steal(text));
}

/// What a ServerDef says, as far as arguments leave it open.
nb::object opened(nb::handle server_def, nb::object& job_name, nb::object& task_index, nb::object& protocol) {
  const auto refuse_field = [&](const char* field, bool is_set) {
    if (!is_set) return;
    throw errors::UnimplementedError(
        fmt::format("tf.train.Server does not take a ServerDef with {}\nGive its cluster the task's address, "
                    "and the Server its config.",
                    field));
  };
  const nb::object config = server_def.attr("default_session_config"), named = server_def.attr("protocol");
  refuse_field("default_session_config", nb::len(config) != 0);
  refuse_field("port", as_int(server_def.attr("port")) != 0);
  if (job_name.is_none()) job_name = server_def.attr("job_name");
  if (task_index.is_none()) task_index = server_def.attr("task_index");
  if (protocol.is_none() && nb::len(named) != 0) protocol = named;
  return server_def.attr("cluster");
}

}  // namespace

void bind_server(nb::module_& m) {
  using tf::train::ClusterSpec;
  using tf::train::Server;
  nb::class_<ClusterSpec>(m, "ClusterSpec", "The addresses of the tasks of each job: tf.train.ClusterSpec.")
      .def(
          "__init__",
          [](ClusterSpec* self, nb::handle cluster) {
            if (nb::isinstance<ClusterSpec>(cluster)) {
              new (self) ClusterSpec(nb::cast<const ClusterSpec&>(cluster));
              return;
            }
            if (nb::hasattr(cluster, "job")) {  // a ClusterDef
              std::map<std::string, std::map<int, std::string>> jobs;
              for (nb::handle job : cluster.attr("job")) {
                std::map<int, std::string>& addresses = jobs[as_text(job.attr("name"))];
                for (auto [index, address] : nb::dict(job.attr("tasks")))
                  addresses[static_cast<int>(as_int(index))] = as_text(address);
              }
              new (self) ClusterSpec(std::move(jobs));
              return;
            }
            if (PyDict_Check(cluster.ptr()) == 0) {
              throw TypeError(
                  "`cluster` must be a dictionary mapping one or more job names to lists of network "
                  "addresses, or a "
                  "`ClusterDef` protocol buffer");
            }
            std::map<std::string, std::map<int, std::string>> jobs;
            for (auto [job, tasks] : nb::borrow<nb::dict>(cluster)) {
              std::map<int, std::string>& addresses = jobs[as_text(job)];
              if (PyDict_Check(tasks.ptr()) != 0) {
                for (auto [index, address] : nb::borrow<nb::dict>(tasks))
                  addresses[static_cast<int>(as_int(index))] = as_text(address);
              } else {
                for (nb::handle address : tasks)
                  addresses.emplace(static_cast<int>(addresses.size()), as_text(address));
              }
            }
            new (self) ClusterSpec(std::move(jobs));
          },
          "cluster"_a)
      .def_prop_ro("jobs", &ClusterSpec::jobs)
      .def("num_tasks", &ClusterSpec::num_tasks, "job_name"_a)
      .def("task_indices", &ClusterSpec::task_indices, "job_name"_a)
      .def("task_address", &ClusterSpec::task_address, "job_name"_a, "task_index"_a)
      .def("job_tasks", &ClusterSpec::job_tasks, "job_name"_a)
      .def("as_dict",
           [](const ClusterSpec& self) {
             nb::dict jobs;
             for (const auto& [job, tasks] : self.as_map()) {
               const bool is_dense = !tasks.empty() && tasks.begin()->first == 0 &&
                                     tasks.rbegin()->first == static_cast<int>(tasks.size()) - 1;
               jobs[job.c_str()] = is_dense ? nb::cast(self.job_tasks(job)) : nb::cast(tasks);
             }
             return jobs;
           })
      .def("__repr__",
           [](nb::handle self) {
             return "ClusterSpec(" + std::string(nb::repr(self.attr("as_dict")()).c_str()) + ")";
           })
      .def("__bool__", [](const ClusterSpec& self) { return static_cast<bool>(self); })
      .def(
          "__eq__",
          [](const ClusterSpec& self, nb::handle other) {
            return nb::isinstance<ClusterSpec>(other) && nb::cast<const ClusterSpec&>(other) == self;
          },
          nb::arg().none());
  const tf::train::ServerOptions defaults;
  nb::class_<Server>(m, "Server",
                     "One task of a cluster, in this process: tf.train.Server. What is beyond TensorFlow's "
                     "arguments is what `flowray server` has, by the same names.")
      .def(
          "__init__",
          [](Server* self, nb::object cluster, nb::object job_name, nb::object task_index,
             nb::object protocol, nb::handle config, Flag start, Flag exit_with_workers, nb::handle file_root,
             Flag no_files, nb::handle tls_cert, nb::handle tls_key, nb::handle tls_ca, nb::handle token_file,
             int64_t max_message_bytes, int64_t max_sessions, int64_t max_callables, int64_t max_partial_runs,
             int64_t idle_timeout) {
            if (nb::hasattr(cluster, "cluster")) cluster = opened(cluster, job_name, task_index, protocol);
            const nb::object spec =
                nb::isinstance<ClusterSpec>(cluster) ? cluster : nb::object(nb::type<ClusterSpec>()(cluster));
            tf::train::ServerOptions options{.job_name = as_text(job_name),
                                             .start = start,
                                             .file_root = path_of(file_root),
                                             .no_files = no_files,
                                             .tls_cert = path_of(tls_cert),
                                             .tls_key = path_of(tls_key),
                                             .tls_ca = path_of(tls_ca),
                                             .token_file = path_of(token_file),
                                             .max_message_bytes = max_message_bytes,
                                             .max_sessions = max_sessions,
                                             .max_callables = max_callables,
                                             .max_partial_runs = max_partial_runs,
                                             .idle_timeout = idle_timeout,
                                             .config = session_config(config),
                                             .exit_with_workers = exit_with_workers};
            if (!protocol.is_none()) options.protocol = as_text(protocol);
            if (!task_index.is_none()) options.task_index = static_cast<int>(as_int(task_index));
            new (self) Server(nb::cast<const ClusterSpec&>(spec), options);
          },
          "server_or_cluster_def"_a, kNone("job_name") = nb::none(), kNone("task_index") = nb::none(),
          kNone("protocol") = nb::none(), kNone("config") = nb::none(), "start"_a = true,
          "exit_with_workers"_a = false, nb::kw_only(), kNone("file_root") = nb::none(), "no_files"_a = false,
          kNone("tls_cert") = nb::none(), kNone("tls_key") = nb::none(), kNone("tls_ca") = nb::none(),
          kNone("token_file") = nb::none(), "max_message_bytes"_a = defaults.max_message_bytes,
          "max_sessions"_a = defaults.max_sessions, "max_callables"_a = defaults.max_callables,
          "max_partial_runs"_a = defaults.max_partial_runs, "idle_timeout"_a = defaults.idle_timeout)
      .def_static(
          "create_local_server",
          [](nb::handle config, Flag start) {
            return Server::create_local_server({.start = start, .config = session_config(config)});
          },
          kNone("config") = nb::none(), "start"_a = true)
      .def("start", &Server::start)
      .def_prop_ro("target", &Server::target)
      .def("join",
           [](Server& self) {
             const ReleasedLock released;
             self.join();
           })
      .def("stop", [](Server& self) {
        const ReleasedLock released;
        self.stop();
      });
}

}  // namespace flowray::python
