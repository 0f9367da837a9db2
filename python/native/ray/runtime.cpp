/// Init and Shutdown.

#include <flowray/ray/runtime.h>

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"
#include "native/ray/processes.h"
#include "native/ray/waiting.h"

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

}  // namespace

void bind_runtime(nb::module_& m) {
  m.def("init", &begin_runtime, "num_cpus"_a, "num_gpus"_a, "resources"_a, "object_store_memory"_a,
        "local_mode"_a, "log_to_driver"_a);
  m.def("become_template", [](Integer socket) { become_template(static_cast<int>(socket)); });
  m.def("is_initialized", [] { return ray::IsInitialized(); });
  m.def("is_worker", [] { return is_worker(); });
  m.def("shutdown", [] {
    const ReleasedLock unlocked;
    ray::Shutdown();
  });
}

}  // namespace flowray::python
