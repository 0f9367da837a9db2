/// tf.train.Supervisor.

#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"
#include "native/train/training_arguments.h"

#include <flowray/tf/summary.h>
#include <flowray/tf/supervisor.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

namespace flowray::python {

tf::Session* session_of_object(nb::handle object);

namespace {

using tf::train::Saver;
using tf::train::Supervisor;

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

tf::Session& session_or_throw(nb::handle object) {
  tf::Session* session = session_of_object(object);
  if (session == nullptr) throw TypeError("A tf.Session is wanted, but there is none");
  return *session;
}

/// The language's supervisor with the objects of Python that its thread uses. They live longer than it: the
/// supervisor's end waits for the thread.
struct PythonSupervisor {
  PythonSupervisor(std::unique_ptr<Supervisor> made, const nb::dict& options)
      : saver(options.contains("saver") ? nb::object(options["saver"]) : nb::object(nb::none())),
        writer(options.contains("summary_writer") ? nb::object(options["summary_writer"])
                                                  : nb::object(nb::none())),
        supervisor(std::move(made)) {}
  PythonSupervisor(const PythonSupervisor&) = delete;
  PythonSupervisor& operator=(const PythonSupervisor&) = delete;
  ~PythonSupervisor() {
    without_lock([&] { supervisor.reset(); });
  }

  nb::object saver;
  nb::object writer;
  nb::list sessions;  // which the thread may use until stop()
  std::unique_ptr<Supervisor> supervisor;
};

tf::train::SupervisorOptions supervisor_options(const nb::dict& given) {
  tf::train::SupervisorOptions options;
  const auto is = [&](const char* name) { return given.contains(name); };
  const auto at = [&](const char* name) { return nb::object(given[name]); };
  if (is("is_chief")) options.is_chief = as_bool(at("is_chief"));
  if (is("logdir") && !at("logdir").is_none()) options.logdir = as_path(at("logdir"));
  // These are the session manager's matter.
  options.init_op = tf::Operation();
  options.ready_op = tf::Tensor();
  options.local_init_op = tf::Operation();
  if (is("summary_op"))
    options.summary_op = at("summary_op").is_none() ? tf::Tensor() : nb::cast<tf::Tensor>(at("summary_op"));
  if (is("saver")) {
    options.saver = at("saver").is_none()
                        ? nullptr
                        : std::shared_ptr<Saver>(nb::cast<Saver*>(at("saver")), [](Saver*) {});
  }
  if (is("global_step") && !at("global_step").is_none())
    options.global_step = nb::cast<tf::Variable>(at("global_step"));
  if (is("summary_writer")) {
    options.summary_writer =
        at("summary_writer").is_none()
            ? nullptr
            : std::shared_ptr<tf::summary::FileWriter>(
                  nb::cast<tf::summary::FileWriter*>(at("summary_writer")), [](tf::summary::FileWriter*) {});
  }
  if (is("save_summaries_secs")) options.save_summaries_secs = as_float(at("save_summaries_secs"));
  if (is("save_model_secs")) options.save_model_secs = as_float(at("save_model_secs"));
  if (is("stop_grace_secs")) options.stop_grace_secs = as_float(at("stop_grace_secs"));
  if (is("checkpoint_basename")) options.checkpoint_basename = as_text(at("checkpoint_basename"));
  return options;
}

}  // namespace

void bind_supervisor(nb::module_& m) {
  nb::class_<PythonSupervisor>(m, "SupervisorBase", nb::dynamic_attr())
      .def("__init__",
           [](PythonSupervisor* self, const nb::dict& options) {
             auto made = std::make_unique<Supervisor>(supervisor_options(options));
             new (self) PythonSupervisor(std::move(made), options);
           })
      .def("start_standard_services",
           [](PythonSupervisor& self, nb::handle session) {
             tf::Session& language = session_or_throw(session);
             self.sessions.append(session.is_none() ? default_session() : nb::borrow(session));
             without_lock([&] { self.supervisor->start_standard_services(language); });
           })
      .def("should_stop", [](PythonSupervisor& self) { return self.supervisor->should_stop(); })
      .def(
          "request_stop", [](PythonSupervisor& self, nb::handle) { self.supervisor->request_stop(); },
          kNone("ex") = nb::none())
      .def("_stop",
           [](PythonSupervisor& self, double grace_secs) {
             without_lock([&] { self.supervisor->stop(grace_secs); });
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

}  // namespace flowray::python
