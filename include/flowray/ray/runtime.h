#pragma once
/// Init and Shutdown, Put, Get and Wait.

#include <flowray/ray/generator.h>
#include <flowray/ray/object_ref.h>
#include <flowray/ray/runtime_env.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// How the runtime of this process is made.
struct RayConfig {
  /// Worker processes that run tasks at a time; 0: one for each core. Actors have processes of their own.
  /// Fewer where tasks have threads of their own or much memory; more where they wait for files or peers.
  int num_cpus = 0;
  /// Graphics processors that tasks and actors may ask for, up to 1,024; -1: those that the machine has.
  /// Where CUDA_VISIBLE_DEVICES is set it says which there are: asking for more is a ValueError of Init.
  /// Where there is none and nothing is said here, a call that asks for one gets it, with one warning.
  int num_gpus = -1;
  /// Further resources by name and amount: SetResource takes of them, and nothing else knows what they are.
  std::unordered_map<std::string, double> resources;
  /// Bytes that the store may hold, 8 MiB at least; 0: 30 % of the machine's memory. Taken as they are used.
  /// More where values go to disk although memory is free (`flowray memory` tells).
  size_t object_store_memory = 0;
  /// Values that are not being read go to disk where the store is full, and come back when they are read;
  /// false: a value for which there is no room is an error, for programs that may not write to disk.
  bool object_spilling = true;
  /// Their folder, which must be there; empty: TMPDIR, or /tmp. No file is seen: it goes with the driver.
  /// Name a fast disk where /tmp is memory (tmpfs): spilling to memory frees none.
  std::string object_spilling_directory;
  /// Where the names of actors stand that are given without a namespace; up to 255 bytes.
  std::string ray_namespace;
  /// Runs tasks and methods at once in the thread that calls them, in this process: for debugging.
  bool local_mode = false;
  /// In local mode: in so many threads tasks run, beside the program and each other; 0: they run at once,
  /// too. For programs whose tasks wait for what later ones do. Those of Ray's have 10, as there. Methods
  /// still run at once where their arguments are there and their actor is free, else in a thread, in order.
  int local_threads = 0;
  /// Shows what workers print, each line with a prefix that tells the worker; false for programs whose own
  /// output others read.
  bool log_to_driver = true;
  /// The interpreter that workers run Python's functions in (PyFunction); empty: FLOWRAY_PYTHON, or python3
  /// of PATH. It starts with the first call of one and needs Flowray's package.
  /// A Python program's is its own.
  std::string python_interpreter;
  /// Folders in which it looks for modules first, before the working directory and PYTHONPATH.
  std::vector<std::string> python_path;
  /// `import ray` and `import tensorflow` are Flowray's there, as with `python -m flowray`.
  bool python_names = false;
  /// The environment of all workers: its env_vars stand in theirs. A call's own come on top of these.
  RuntimeEnv runtime_env;
  /// How long a call waits that asks for resources which there are not, before it fails; 0: it fails at once.
  /// Resources do not grow while a program runs: waiting gives a warning before the error.
  int unschedulable_timeout_ms = 0;
  /// Where more than this part of the machine's memory is used, or of the memory that this program may use
  /// (its control group's), the process of the largest task with retries is ended, one at a time: the task is
  /// run again, if it has some left. Lower it where other programs on the machine need room of their own.
  double memory_usage_threshold = 0.95;
  /// How often the memory is looked at while tasks run, in milliseconds; 0: never. Smaller where tasks take
  /// gigabytes within a quarter of a second.
  int memory_monitor_refresh_ms = 250;
  /// How long the process that workers are forked from may take until it is ready, for Python's an
  /// interpreter with its imports; at least 1. Then it is killed, and Init or the calls that wait for it
  /// fail. Longer where imports come from a slow disk.
  int worker_startup_timeout_ms = 30'000;
  /// How long Shutdown lets workers that are idle end by themselves; those that run something are killed
  /// at once. Longer where destructors of actors write files.
  int shutdown_timeout_ms = 1'000;
};

/// Starts the runtime of this process. Throws RayException if it runs already, if two different functions
/// were registered under one name, or if the system lacks something (the message says what).
void Init();
/// The same as `config` says; throws RayException for a negative number of workers, GPUs or milliseconds, and
/// for a memory_usage_threshold that is not in [0, 1]. Source: ray::Init.
void Init(const RayConfig& config);
/// The command line wins over `config`: --ray_num_cpus=4, --ray_num_gpus=1, --ray_object_store_memory=BYTES,
/// --ray_job_namespace=NAME, --ray_local_mode. Other arguments are the program's.
void Init(const RayConfig& config, int argc, char** argv);
/// Whether the runtime of this process runs: true between Init and Shutdown, and in workers.
/// Source: ray::IsInitialized.
bool IsInitialized();
/// RayConfig::ray_namespace, in workers too. Throws RayException if no runtime runs.
std::string GetNamespace();
/// The GPUs of the task or actor that asks, as its CUDA_VISIBLE_DEVICES names them: numbers from 0 or, where
/// the driver has CUDA_VISIBLE_DEVICES set, of what that names. None for a call without GPUs, in the
/// driver and in local mode. A part of a GPU may be shared. Throws RayException if no runtime runs.
std::vector<std::string> GetGpuIds();
/// Ends workers and actors and frees the object store; references and handles are worth nothing after. Does
/// nothing if the runtime does not run. Also done at the end of main.
void Shutdown();

/// Copies `value` into the object store, once; arrays in it are read in place from there, by all processes.
template <typename T>
ObjectRef<T> Put(const T& value) {
  internal::EncoderLease encoder;
  encode(*encoder, value);
  return ObjectRef<T>(internal::backend().put(*encoder));
}
/// The same of a text, which is put as a std::string.
inline ObjectRef<std::string> Put(const char* text) { return Put(std::string(text)); }

/// As ObjectRef::Get.
template <typename T>
typename internal::GetResult<T>::One Get(const ObjectRef<T>& object) {
  return object.Get();
}
/// The same, waiting at most `timeout_ms` (-1: without end); then throws RayTimeoutException.
template <typename T>
typename internal::GetResult<T>::One Get(const ObjectRef<T>& object, const int& timeout_ms) {
  return object.Get(timeout_ms);
}

namespace internal {

/// While it lives, the calling thread gets these one after the other.
class Expected {
 public:
  explicit Expected(const std::vector<ObjectId>& objects) : backend_(backend_or_null()) {
    if (objects.size() < 2) backend_ = nullptr;
    if (backend_ != nullptr) backend_->expect(objects);
  }
  ~Expected() {
    if (backend_ != nullptr && backend_ == backend_or_null()) backend_->expect({});
  }
  Expected(const Expected&) = delete;
  Expected& operator=(const Expected&) = delete;

 private:
  Backend* backend_;
};

}  // namespace internal

/// The values in the order of their references. Throws the error of the first that is one;
/// RayTimeoutException if not all are there after `timeout_ms`.
template <typename T>
typename internal::GetResult<T>::Many Get(const std::vector<ObjectRef<T>>& objects, const int& timeout_ms) {
  const internal::Deadline deadline = internal::deadline_after(timeout_ms);
  std::vector<ObjectId> ids;
  for (const auto& object : objects) {
    if (object.handle() != nullptr) ids.push_back(object.handle()->id());
  }
  const internal::Expected expected(ids);
  if constexpr (std::is_void_v<T>) {
    for (const auto& object : objects) object.GetBefore(deadline, timeout_ms);
  } else {
    std::vector<std::shared_ptr<T>> values;
    values.reserve(objects.size());
    for (const auto& object : objects) values.push_back(object.GetBefore(deadline, timeout_ms));
    return values;
  }
}
/// The same, waiting without end.
template <typename T>
typename internal::GetResult<T>::Many Get(const std::vector<ObjectRef<T>>& objects) {
  return Get(objects, -1);
}

struct CancelOptions {
  /// Whether the process of a task that runs is ended; of an actor's call this is a RayException. For tasks
  /// that compute long without a call of the runtime, and so do not notice.
  bool force = false;
  /// Whether the calls that it has made and that are not done, and theirs, are cancelled, too; false where
  /// others wait for what those make.
  bool recursive = true;
};
/// Ends the call that is to make the object, unless it is done; its Get throws TaskCancelledException then. A
/// call that has not begun does not run. In one that runs, IsCancelled() is true from now on, and the Get or
/// Wait in which it is, or its next one, throws TaskCancelledException; what it returns or throws all the
/// same is its result.
template <typename T>
void Cancel(const ObjectRef<T>& object, const CancelOptions& options = {}) {
  internal::backend().cancel(internal::require_handle(object)->id(), options.force, options.recursive);
}
/// As Cancel of an ObjectRef: TaskCancelledException is the error of the last reference that it gives.
template <typename T>
void Cancel(const ObjectRefGenerator<T>& generator, const CancelOptions& options = {}) {
  internal::cancel_stream(generator, options.force, options.recursive);
}
/// Whether the call that runs in this thread was cancelled: long ones ask now and then.
/// Costs some nanoseconds.
bool IsCancelled();

namespace internal {
/// Which of the objects are ready: at most `num_objects`, the first ones.
std::vector<bool> wait_for(const std::vector<ObjectId>& objects, int num_objects, int timeout_ms);
}  // namespace internal

/// Waits until `num_objects` of the objects are there (an error counts) or `timeout_ms` is over (-1: no end),
/// and tells them apart: `ready` are at most `num_objects`. Throws RayException for a `num_objects` that is
/// not in [1, objects.size()].
template <typename T>
WaitResult<T> Wait(const std::vector<ObjectRef<T>>& objects, int num_objects, int timeout_ms) {
  std::vector<ObjectId> ids;
  ids.reserve(objects.size());
  for (const auto& object : objects) ids.push_back(internal::require_handle(object)->id());
  const std::vector<bool> ready = internal::wait_for(ids, num_objects, timeout_ms);
  WaitResult<T> result;
  for (size_t i = 0; i < objects.size(); ++i)
    (ready[i] ? result.ready : result.unready).push_back(objects[i]);
  return result;
}

}  // namespace flowray::ray

#pragma GCC visibility pop
