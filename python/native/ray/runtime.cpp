/// Init and Shutdown.

#include <flowray/ray/runtime.h>

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"
#include "native/ray/processes.h"
#include "native/ray/waiting.h"

#include "ray/calls/local_backend.h"
#include "ray/driver/driver_backend.h"
#include "ray/driver/session_folder.h"

#include <nanobind/stl/string.h>

namespace flowray::python {
namespace {

void begin_runtime(Integer num_cpus, Integer num_gpus, nb::dict resources, Integer object_store_memory,
                   Flag local_mode, Flag log_to_driver) {
  ray::RayConfig config;
  config.num_cpus = static_cast<int>(num_cpus);
  config.num_gpus = static_cast<int>(num_gpus);
  for (auto [name, amount] : resources) config.resources[as_text(name)] = as_float(amount);
  config.object_store_memory = static_cast<size_t>(static_cast<int64_t>(object_store_memory));
  config.local_mode = local_mode;
  config.log_to_driver = log_to_driver;
  config.worker_startup_timeout_ms = 300'000;  // it may have to import what the program has imported
  prepare_processes();
  ray::Init(config);  // with the lock, as it forks
}

/// What the driver answers people, as on its socket: in the driver itself, or in a worker of the driver with
/// that pid.
std::string ask_runtime(const std::string& request, int64_t driver_pid) {
  ray::internal::Backend& backend = ray::internal::backend();
  if (auto* const driver = dynamic_cast<ray::DriverBackend*>(&backend)) return driver->answer(request);
  if (const auto* const local = dynamic_cast<ray::LocalBackend*>(&backend))
    return request == "actor-names" ? local->actor_names() : "[]";
  const auto answer = ray::ask_driver(ray::session_folder(), driver_pid, request);
  if (answer) return *answer;
  throw ray::RayException("The driver's socket is not there: '" + ray::session_folder() +
                          "' cannot be had.\nFLOWRAY_SESSION_FOLDER names another folder.");
}

}  // namespace

void bind_runtime(nb::module_& m) {
  m.def("init", &begin_runtime, "num_cpus"_a, "num_gpus"_a, "resources"_a, "object_store_memory"_a,
        "local_mode"_a, "log_to_driver"_a);
  m.def("become_template", [](Integer socket) { become_template(static_cast<int>(socket)); });
  m.def("ask", [](nb::handle request, int64_t driver_pid) {
    const std::string text = as_text(request);
    return without_lock([&] { return ask_runtime(text, driver_pid); });
  });
  m.def("is_initialized", [] { return ray::IsInitialized(); });
  m.def("is_worker", [] { return is_worker(); });
  m.def("shutdown", [] {
    const ReleasedLock unlocked;
    ray::Shutdown();
  });
}

}  // namespace flowray::python
