#include <flowray/ray/runtime.h>

#include <flowray/ray/errors.h>
#include <pthread.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mutex.h"
#include "ray/calls/command_line.h"
#include "ray/calls/local_backend.h"
#include "ray/driver/driver_backend.h"
#include "ray/driver/machine_resources.h"
#include "ray/functions/function_registry.h"
#include "ray/store/spill_file.h"
#include "ray/store/store.h"
#include "ray/transport/call_spec.h"
#include "ray/worker/worker.h"

namespace flowray::ray {
namespace {

/// The runtime that this process has started; a worker has none, but the backend of its driver.
struct Runtime {
  Mutex mutex;
  std::unique_ptr<internal::Backend> backend FLOWRAY_GUARDED_BY(mutex);
  DriverBackend* driver FLOWRAY_GUARDED_BY(mutex) = nullptr;        // the same; null in local mode
  LocalBackend* local FLOWRAY_GUARDED_BY(mutex) = nullptr;          // the same in local mode
  std::chrono::milliseconds patience FLOWRAY_GUARDED_BY(mutex){0};  // of its end
  /// Of local mode, whose tasks have not returned.
  std::vector<std::unique_ptr<internal::Backend>> left_running FLOWRAY_GUARDED_BY(mutex);
  /// Shells of earlier ones: threads of the program may still be about to call them.
  std::vector<std::unique_ptr<DriverBackend>> ended FLOWRAY_GUARDED_BY(mutex);
  Runtime* of_parent = nullptr;
};

Runtime*& runtime_of_process() {
  static Runtime* runtime = new Runtime;  // never destroyed: objects with static lifetime may hold references
  return runtime;
}

Runtime& runtime() { return *runtime_of_process(); }

/// In a process that the program forked: the runtime is its parent's, and its lock may be held by a thread
/// that is not here.
void leave_runtime_to_parent() {
  auto* const fresh = new Runtime;
  fresh->of_parent = runtime_of_process();
  runtime_of_process() = fresh;
}

void shut_down(DriverBackend::Waiters waiters) {
  const MutexLock lock(runtime().mutex);
  if (runtime().backend == nullptr) return;
  internal::set_backend(nullptr);
  if (DriverBackend* const driver = std::exchange(runtime().driver, nullptr)) {
    driver->shut_down(waiters);
    (void)runtime().backend.release();
    runtime().ended.emplace_back(driver);
  }
  if (LocalBackend* const local = std::exchange(runtime().local, nullptr)) {
    const size_t running = local->end(runtime().patience);
    if (running > 0) {
      std::cerr << "flowray: Shutdown(): " << running << " thread(s) of local_mode run tasks that have not "
                << "returned in " << runtime().patience.count() << " ms; they are left running.\n";
      runtime().left_running.push_back(std::move(runtime().backend));
    }
  }
  runtime().backend.reset();
}

void shut_down_at_exit() { shut_down(DriverBackend::Waiters::kWaitOn); }

template <class T>
T number_in(std::string_view flag, std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    throw RayException("--" + std::string(flag) + "=" + std::string(text) +
                       ": expected a number that is not negative.");
  }
  return number;
}

void check_counts(const RayConfig& config) {
  if (config.num_cpus < 0) {
    throw RayException("num_cpus is " + std::to_string(config.num_cpus) +
                       "; it must be a number of workers, or 0 for one a core.");
  }
  if (config.num_gpus < -1) {
    throw RayException("num_gpus is " + std::to_string(config.num_gpus) +
                       "; it must be a number of graphics processors, or -1 for those that there are.");
  }
  if (config.num_gpus > kMostGpus) {
    throw RayException("num_gpus is " + std::to_string(config.num_gpus) + "; at most " +
                       std::to_string(kMostGpus) + " are possible.");
  }
  if (config.local_threads < 0) {
    throw RayException("local_threads is " + std::to_string(config.local_threads) +
                       "; it must be a number of threads, or 0 for none but those that call.");
  }
  if (config.worker_startup_timeout_ms < 1) {
    throw RayException("worker_startup_timeout_ms is " + std::to_string(config.worker_startup_timeout_ms) +
                       "; it must be at least 1.");
  }
  if (config.unschedulable_timeout_ms < 0 || config.memory_monitor_refresh_ms < 0) {
    throw RayException("unschedulable_timeout_ms is " + std::to_string(config.unschedulable_timeout_ms) +
                       " and memory_monitor_refresh_ms " + std::to_string(config.memory_monitor_refresh_ms) +
                       "; both must be at least 0.");
  }
  if (!(config.memory_usage_threshold >= 0 && config.memory_usage_threshold <= 1)) {
    throw RayException("memory_usage_threshold is " + std::to_string(config.memory_usage_threshold) +
                       "; it must be a part of the memory, from 0 to 1.");
  }
}

void check_resources(const RayConfig& config) {
  for (const auto& [name, amount] : config.resources) {
    if (name == "CPU" || name == "GPU") {
      throw RayException("resources: the number of '" + name + "' is said by Init's " +
                         (name == "CPU" ? "num_cpus." : "num_gpus."));
    }
    if (!name.empty() && amount >= 0 && amount <= (name == "memory" ? 1e15 : 1e6)) continue;
    throw RayException("resources: '" + name + "' = " + std::to_string(amount) +
                       "; expected a name, and an amount from 0 to 1000000.");
  }
}

void check_names_and_store(const RayConfig& config) {
  if (config.ray_namespace.size() > kMostNamespaceBytes) {
    throw RayException("RayConfig::ray_namespace has " + std::to_string(config.ray_namespace.size()) +
                       " bytes; at most " + std::to_string(kMostNamespaceBytes) + " are possible.");
  }
  if (config.object_store_memory > 0 && config.object_store_memory < kLeastStoreBytes) {
    throw ValueError("object_store_memory is " + std::to_string(config.object_store_memory) +
                     "; it is a number of bytes, at least " + std::to_string(kLeastStoreBytes) +
                     " (8 MiB), or 0 for 30 % of the machine's memory.");
  }
  if (config.object_spilling && !config.object_spilling_directory.empty())
    SpillFile::require_folder(config.object_spilling_directory);
}

}  // namespace

void Init() { Init(RayConfig()); }

void Init(const RayConfig& config) {
  check_counts(config);
  check_resources(config);
  check_names_and_store(config);
  // Before the template is forked, too: a worker must find the lock free.
  [[maybe_unused]] static const int forked = pthread_atfork(nullptr, nullptr, leave_runtime_to_parent);
  const MutexLock lock(runtime().mutex);
  if (internal::backend_or_null() != nullptr) {
    throw RayException(
        "The runtime of this process runs already: Init() was called before, without Shutdown() since.");
  }
  registered_functions().check();
  runtime().ended.reserve(runtime().ended.size() + 1);  // so that Shutdown() cannot fail
  if (config.local_mode) {
    if (!internal::environment_text(config.runtime_env).empty())
      std::cerr << "flowray: RuntimeEnv: in local_mode calls have the program's own environment.\n";
    auto local = std::make_unique<LocalBackend>(config.ray_namespace,
                                                resources_text(all_of(machine_resources(config))),
                                                static_cast<size_t>(config.local_threads));
    runtime().local = local.get();
    runtime().patience = std::chrono::milliseconds(config.shutdown_timeout_ms);
    runtime().backend = std::move(local);
  } else {
    (void)are_links_wanted();  // a word that it does not know ends the program here, and no worker
    auto driver = std::make_unique<DriverBackend>(config);
    runtime().driver = driver.get();
    runtime().backend = std::move(driver);
  }
  internal::set_backend(runtime().backend.get());
  [[maybe_unused]] static const int registered = std::atexit(shut_down_at_exit);
}

void Init(const RayConfig& config, int argc, char** argv) {
  static constexpr std::array<std::string_view, 4> kValued = {"ray_num_cpus", "ray_num_gpus",
                                                              "ray_object_store_memory", "ray_job_namespace"};
  static constexpr std::array<std::string_view, 1> kSwitches = {"ray_local_mode"};
  RayConfig merged = config;
  for (const auto& [flag, text] : flags_in(argc, argv, kValued, kSwitches)) {
    if (flag == "ray_num_cpus") merged.num_cpus = number_in<int>(flag, text);
    if (flag == "ray_num_gpus") merged.num_gpus = number_in<int>(flag, text);
    if (flag == "ray_object_store_memory") merged.object_store_memory = number_in<size_t>(flag, text);
    if (flag == "ray_job_namespace") merged.ray_namespace = text;
    if (flag == "ray_local_mode") merged.local_mode = text != "false";
  }
  Init(merged);
}

bool IsInitialized() { return internal::backend_or_null() != nullptr; }

void Shutdown() {
  if (internal::is_thread_of_actor()) {
    throw RayException(
        "Shutdown() was called by an actor that runs in a thread of the program, and would wait for its own "
        "end.\n"
        "Let the program call it; ExitActor() ends the actor.");
  }
  shut_down(DriverBackend::Waiters::kThrow);
}

}  // namespace flowray::ray
