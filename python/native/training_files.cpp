/// tf.summary, tf.train.Saver, Supervisor and Server.

#include "convert.h"
#include "python_graph.h"
#include "released_lock.h"

#include <flowray/tf/saver.h>
#include <flowray/tf/server.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/summary_ops.h>
#include <flowray/tf/supervisor.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

namespace flowray::python {

std::vector<tf::Variable> as_variables(nb::handle list);
tf::Session* session_of_object(nb::handle object);

namespace {

using tf::train::Saver;
using tf::train::Supervisor;

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

/// A path as a str or an os.PathLike.
std::string as_path(nb::handle object) {
  std::string path =
      as_text(PyUnicode_Check(object.ptr()) != 0 ? nb::borrow(object)
                                                 : nb::object(python_object("os", "fspath")(object)));
  if (path.find('\0') != std::string::npos) throw ValueError("embedded null byte");  // as Python's open()
  return path;
}

tf::Session& session_or_throw(nb::handle object) {
  tf::Session* session = session_of_object(object);
  if (session == nullptr) throw TypeError("A tf.Session is wanted, but there is none");
  return *session;
}

/// A step as a number: of a tensor or variable its value.
std::optional<int64_t> as_step_number(nb::handle step, nb::handle session) {
  if (step.is_none()) return std::nullopt;
  if (nb::isinstance<tf::Tensor>(step) || nb::isinstance<tf::Variable>(step))
    return as_int(session.attr("run")(step));
  return as_int(step);
}

// ---- summaries

tf::summary::SummaryOptions summary_options(nb::handle collections, nb::handle family) {
  return {.collections = as_texts(collections), .family = as_text(family)};
}

void bind_summary_ops(nb::module_& m) {
  m.def(
      "scalar",
      [](const std::string& name, nb::handle tensor, nb::handle collections, nb::handle family) {
        return give(tf::summary::scalar(name, as_input(tensor), summary_options(collections, family)));
      },
      "name"_a, "tensor"_a, kNone("collections") = nb::none(), kNone("family") = nb::none());
  m.def(
      "histogram",
      [](const std::string& name, nb::handle values, nb::handle collections, nb::handle family) {
        return give(tf::summary::histogram(name, as_input(values), summary_options(collections, family)));
      },
      "name"_a, "values"_a, kNone("collections") = nb::none(), kNone("family") = nb::none());
  m.def(
      "image",
      [](const std::string& name, nb::handle tensor, int64_t max_outputs, nb::handle collections,
         nb::handle family) {
        return give(
            tf::summary::image(name, as_input(tensor), max_outputs, summary_options(collections, family)));
      },
      "name"_a, "tensor"_a, "max_outputs"_a = 3, kNone("collections") = nb::none(),
      kNone("family") = nb::none());
  m.def(
      "audio",
      [](const std::string& name, nb::handle tensor, nb::handle rate, int64_t max_outputs,
         nb::handle collections, nb::handle family) {
        return give(tf::summary::audio(name, as_input(tensor), as_input(rate), max_outputs,
                                       summary_options(collections, family)));
      },
      "name"_a, "tensor"_a, "sample_rate"_a, "max_outputs"_a = 3, kNone("collections") = nb::none(),
      kNone("family") = nb::none());
  m.def(
      "merge",
      [](nb::handle inputs, nb::handle, nb::handle name) {
        return give(tf::summary::merge(as_inputs(inputs), {as_text(name)}));
      },
      "inputs"_a, kNone("collections") = nb::none(), kNone("name") = nb::none());
  m.def(
      "merge_all",
      [](nb::handle key, nb::handle, nb::handle name) {
        return give(tf::summary::merge_all(as_text(key), {as_text(name)}));
      },
      "key"_a = "summaries", kNone("scope") = nb::none(), kNone("name") = nb::none());
}

void bind_file_writer(nb::module_& m) {
  using tf::summary::FileWriter;
  nb::class_<FileWriter>(m, "FileWriter", "Writes an event file for TensorBoard: tf.summary.FileWriter.")
      .def(
          "__init__",
          [](FileWriter* self, nb::handle logdir, nb::handle graph, nb::handle, nb::handle flush_secs,
             nb::handle, nb::handle filename_suffix, nb::handle) {
            tf::summary::FileWriterOptions options;
            if (!flush_secs.is_none()) options.flush_secs = as_float(flush_secs);
            options.filename_suffix = as_text(filename_suffix);
            new (self) FileWriter(as_path(logdir), options);
            if (!graph.is_none()) {
              nb::object get = graph.attr("get_operations")();
              const nb::list operations(get);
              if (nb::len(operations) > 0)
                self->add_graph(nb::cast<tf::Operation>(nb::object(operations[0])).graph());
            }
          },
          "logdir"_a, kNone("graph") = nb::none(), kNone("max_queue") = 10, kNone("flush_secs") = 120,
          kNone("graph_def") = nb::none(), kNone("filename_suffix") = nb::none(),
          kNone("session") = nb::none())
      .def(
          "add_summary",
          [](FileWriter& self, nb::handle summary, nb::handle global_step) {
            const nb::object text = PyBytes_Check(summary.ptr()) != 0
                                        ? nb::borrow(summary)
                                        : nb::object(summary.attr("SerializeToString")());
            const auto bytes = nb::cast<nb::bytes>(text);
            self.add_serialized_summary({bytes.c_str(), bytes.size()},
                                        global_step.is_none() ? 0 : as_int(global_step));
          },
          "summary"_a, kNone("global_step") = nb::none())
      .def(
          "add_graph",
          [](FileWriter& self, nb::handle graph, nb::handle global_step, nb::handle) {
            const nb::list operations(nb::object(graph.attr("get_operations")()));
            if (nb::len(operations) == 0) return;
            self.add_graph(nb::cast<tf::Operation>(nb::object(operations[0])).graph(),
                           global_step.is_none() ? 0 : as_int(global_step));
          },
          "graph"_a, kNone("global_step") = nb::none(), kNone("graph_def") = nb::none())
      .def("flush", &FileWriter::flush)
      .def("close", &FileWriter::close)
      .def("reopen", &FileWriter::reopen)
      .def("get_logdir", [](const FileWriter& self) { return self.get_logdir().string(); })
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](FileWriter& self, nb::args) { self.close(); });
  m.def("encode_scalars",
        [](nb::handle values) {  // a Summary of simple values, as MergeSummary would give it
          std::string message;
          for (nb::handle pair : values) {
            const std::string tag = as_text(nb::object(pair[0]));
            const auto value = static_cast<float>(as_float(nb::object(pair[1])));
            std::string inner = "\x0a";
            const auto varint = [](std::string& out, size_t n) {
              for (; n >= 0x80; n >>= 7) out += static_cast<char>((n & 0x7f) | 0x80);
              out += static_cast<char>(n);
            };
            varint(inner, tag.size());
            inner += tag;
            inner += '\x15';
            inner.append(reinterpret_cast<const char*>(&value), sizeof(value));
            message += '\x0a';
            varint(message, inner.size());
            message += inner;
          }
          return nb::bytes(message.data(), message.size());
        });
}

// ---- checkpoints

std::map<std::string, tf::Variable> as_named_variables(nb::dict variables) {
  std::map<std::string, tf::Variable> named;
  for (auto [saved_name, variable] : variables) {
    if (variable.is_none()) throw ValueError("None values not supported.");
    if (!nb::isinstance<tf::Variable>(variable)) {
      throw TypeError(std::string("names_to_saveables must be a dict mapping string names to "
                                  "Tensors/Variables. Not a variable: ") +
                      nb::str(variable).c_str());
    }
    named.emplace(as_text(saved_name), nb::cast<const tf::Variable&>(variable));
  }
  return named;
}

void bind_saver(nb::module_& m) {
  nb::class_<Saver>(m, "Saver", "Variables in checkpoint files: tf.train.Saver.")
      .def(
          "__init__",
          [](Saver* self, nb::handle var_list, bool, bool, nb::handle max_to_keep, nb::handle,
             nb::handle name, nb::kwargs) {
            tf::train::SaverOptions options;
            if (PyDict_Check(var_list.ptr()) != 0) {
              options.named_variables = as_named_variables(nb::borrow<nb::dict>(var_list));
            } else {
              options.var_list = as_variables(nb::borrow(var_list));
            }
            if (!var_list.is_none() && options.named_variables.empty() && options.var_list.empty())
              throw ValueError("No variables to save");
            options.max_to_keep = max_to_keep.is_none() ? 0 : static_cast<int>(as_int(max_to_keep));
            options.name = as_text(name);
            new (self) Saver(options);
          },
          kNone("var_list") = nb::none(), "reshape"_a = false, "sharded"_a = false, kNone("max_to_keep") = 5,
          kNone("keep_checkpoint_every_n_hours") = 10000.0, kNone("name") = nb::none(), "options"_a)
      .def(
          "save",
          [](Saver& self, nb::handle sess, nb::handle save_path, nb::handle global_step,
             nb::handle latest_filename, nb::handle, bool write_meta_graph, bool write_state, nb::kwargs) {
            tf::train::SaveOptions options{.global_step = as_step_number(global_step, sess),
                                           .write_meta_graph = write_meta_graph,
                                           .write_state = write_state};
            if (!latest_filename.is_none()) options.latest_filename = as_text(latest_filename);
            const std::string path = as_path(save_path);
            tf::Session& session = session_or_throw(sess);
            const ReleasedLock released;
            return self.save(session, path, options);
          },
          "sess"_a, "save_path"_a, kNone("global_step") = nb::none(), kNone("latest_filename") = nb::none(),
          kNone("meta_graph_suffix") = "meta", "write_meta_graph"_a = true, "write_state"_a = true,
          "options"_a)
      .def(
          "restore",
          [](Saver& self, nb::handle sess, nb::handle save_path) {
            if (save_path.is_none()) throw ValueError("Can't load save_path when it is None.");
            tf::Session& session = session_or_throw(sess);
            const std::string path = as_path(save_path);
            without_lock([&] { self.restore(session, path); });
          },
          "sess"_a, kNone("save_path"))
      .def_prop_ro("last_checkpoints", [](const Saver& self) { return self.last_checkpoints(); })
      .def("set_last_checkpoints",
           [](Saver& self, const std::vector<std::string>& paths) { self.set_last_checkpoints(paths); })
      .def("recover_last_checkpoints",
           [](Saver& self, const std::vector<std::string>& paths) { self.set_last_checkpoints(paths); });
  m.def(
      "latest_checkpoint",
      [](nb::handle dir, nb::handle latest_filename) -> nb::object {
        const std::string path = tf::train::latest_checkpoint(
            as_path(dir), latest_filename.is_none() ? "checkpoint" : as_text(latest_filename));
        return path.empty() ? nb::none() : nb::object(nb::str(path.c_str()));
      },
      "checkpoint_dir"_a, kNone("latest_filename") = nb::none());
  using State = tf::train::CheckpointState;
  nb::class_<State>(m, "CheckpointState")
      .def_ro("model_checkpoint_path", &State::model_checkpoint_path)
      .def_ro("all_model_checkpoint_paths", &State::all_model_checkpoint_paths);
  m.def(
      "get_checkpoint_state",
      [](nb::handle dir, nb::handle latest_filename) -> nb::object {
        const auto state = tf::train::get_checkpoint_state(
            as_path(dir), latest_filename.is_none() ? "checkpoint" : as_text(latest_filename));
        return state.has_value() ? nb::cast(*state) : nb::none();
      },
      "checkpoint_dir"_a, kNone("latest_filename") = nb::none());
  m.def(
      "checkpoint_exists", [](nb::handle prefix) { return tf::train::checkpoint_exists(as_path(prefix)); },
      "checkpoint_prefix"_a);
}

// ---- the supervisor

/// The language's supervisor with the objects of Python that its thread uses. They live longer than it: the
/// supervisor's end waits for the thread.
struct PythonSupervisor {
  PythonSupervisor(std::unique_ptr<Supervisor> made, nb::object saver_of_program)
      : saver(std::move(saver_of_program)), supervisor(std::move(made)) {}
  PythonSupervisor(const PythonSupervisor&) = delete;
  PythonSupervisor& operator=(const PythonSupervisor&) = delete;
  ~PythonSupervisor() {
    without_lock([&] { supervisor.reset(); });
  }

  nb::object saver;
  nb::list sessions;  // which the thread may use until stop()
  std::unique_ptr<Supervisor> supervisor;
};

tf::train::SupervisorOptions supervisor_options(const nb::dict& given) {
  tf::train::SupervisorOptions options;
  const auto is = [&](const char* name) { return given.contains(name); };
  const auto at = [&](const char* name) { return nb::object(given[name]); };
  if (is("is_chief")) options.is_chief = as_bool(at("is_chief"));
  if (is("logdir") && !at("logdir").is_none()) options.logdir = as_path(at("logdir"));
  if (is("init_op"))
    options.init_op = at("init_op").is_none() ? tf::Operation() : nb::cast<tf::Operation>(at("init_op"));
  if (is("summary_op"))
    options.summary_op = at("summary_op").is_none() ? tf::Tensor() : nb::cast<tf::Tensor>(at("summary_op"));
  if (is("saver")) {
    options.saver = at("saver").is_none()
                        ? nullptr
                        : std::shared_ptr<Saver>(nb::cast<Saver*>(at("saver")), [](Saver*) {});
  }
  if (is("global_step") && !at("global_step").is_none())
    options.global_step = nb::cast<tf::Variable>(at("global_step"));
  if (is("save_summaries_secs")) options.save_summaries_secs = as_float(at("save_summaries_secs"));
  if (is("save_model_secs")) options.save_model_secs = as_float(at("save_model_secs"));
  if (is("checkpoint_basename")) options.checkpoint_basename = as_text(at("checkpoint_basename"));
  return options;
}

void bind_supervisor(nb::module_& m) {
  nb::class_<PythonSupervisor>(m, "SupervisorBase", nb::dynamic_attr())
      .def("__init__",
           [](PythonSupervisor* self, const nb::dict& options) {
             auto made = std::make_unique<Supervisor>(supervisor_options(options));
             new (self)
                 PythonSupervisor(std::move(made), options.contains("saver") ? nb::object(options["saver"])
                                                                             : nb::object(nb::none()));
           })
      .def("_prepare",
           [](PythonSupervisor& self, nb::handle session) {
             tf::Session& language = session_or_throw(session);
             self.sessions.append(session.is_none() ? default_session() : nb::borrow(session));
             without_lock([&] { self.supervisor->prepare(language); });
           })
      .def("should_stop", [](PythonSupervisor& self) { return self.supervisor->should_stop(); })
      .def(
          "request_stop", [](PythonSupervisor& self, nb::handle) { self.supervisor->request_stop(); },
          kNone("ex") = nb::none())
      .def("_stop",
           [](PythonSupervisor& self) {
             without_lock([&] { self.supervisor->stop(); });
             self.sessions = nb::list();
           })
      .def(
          "summary_computed",
          [](PythonSupervisor& self, nb::handle sess, const nb::bytes& summary, nb::handle global_step) {
            tf::Session& session = session_or_throw(sess);
            const std::string_view message(summary.c_str(), summary.size());
            const std::optional<int64_t> step = as_step_number(global_step, sess);
            without_lock([&] { self.supervisor->summary_computed(session, message, step); });
          },
          "sess"_a, "summary"_a, kNone("global_step") = nb::none())
      .def_prop_ro("saver",
                   [](PythonSupervisor& self) -> nb::object {
                     if (!self.saver.is_none()) return self.saver;
                     return nb::cast(self.supervisor->saver());
                   })
      .def_prop_ro("save_path", [](PythonSupervisor& self) { return self.supervisor->save_path().string(); })
      .def_prop_ro(
          "summary_writer", [](PythonSupervisor& self) { return self.supervisor->summary_writer(); },
          nb::rv_policy::reference_internal);
}

// ---- servers

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
             for (const std::string& job : self.jobs()) jobs[job.c_str()] = self.job_tasks(job);
             return jobs;
           })
      .def("__bool__", [](const ClusterSpec& self) { return static_cast<bool>(self); })
      .def(
          "__eq__",
          [](const ClusterSpec& self, nb::handle other) {
            return nb::isinstance<ClusterSpec>(other) && nb::cast<const ClusterSpec&>(other) == self;
          },
          nb::arg().none());
  nb::class_<Server>(m, "Server", "One task of a cluster, in this process: tf.train.Server.")
      .def(
          "__init__",
          [](Server* self, nb::handle cluster, nb::handle job_name, nb::handle task_index, nb::handle,
             nb::handle, bool start) {
            const nb::object spec = nb::isinstance<ClusterSpec>(cluster)
                                        ? nb::borrow(cluster)
                                        : nb::object(nb::type<ClusterSpec>()(cluster));
            tf::train::ServerOptions options{.job_name = as_text(job_name), .start = start};
            if (!task_index.is_none()) options.task_index = static_cast<int>(as_int(task_index));
            new (self) Server(nb::cast<const ClusterSpec&>(spec), options);
          },
          "server_or_cluster_def"_a, kNone("job_name") = nb::none(), kNone("task_index") = nb::none(),
          kNone("protocol") = nb::none(), kNone("config") = nb::none(), "start"_a = true)
      .def_static(
          "create_local_server", [](nb::handle, bool start) { return Server::create_local_server(start); },
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

}  // namespace

void bind_training_files(nb::module_& train, nb::module_& summary) {
  bind_summary_ops(summary);
  bind_file_writer(summary);
  bind_saver(train);
  bind_supervisor(train);
  bind_server(train);
}

}  // namespace flowray::python
