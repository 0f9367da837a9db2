// Running calls in a worker.

#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <flowray/ray/encoding.h>

#include "ray/functions/function_registry.h"
#include "ray/functions/run_function.h"
#include "ray/values/value.h"
#include "ray/worker/worker_backend.h"

namespace flowray::ray {

using internal::ValueView;
using Clock = std::chrono::steady_clock;

bool WorkerBackend::wait_for_work() {
  wait_until({}, [this]() FLOWRAY_REQUIRES(mutex_) { return !runs_.empty() || exiting_; });
  return !runs_.empty();
}

void WorkerBackend::run() {
  {
    const MutexLock lock(mutex_);
    post(Started{static_cast<uint32_t>(getpid())});
  }
  while (true) {
    std::vector<std::byte> message;
    {
      const MutexLock lock(mutex_);
      tell_let_go();
      if (!wait_for_work()) return;
      message = std::move(runs_.front());
      runs_.pop_front();
    }
    execute(message);
    const MutexLock lock(mutex_);
    constexpr size_t kSpare = 64;
    if (spare_.size() < kSpare) spare_.push_back(std::move(message));
  }
}

namespace {

/// The function forked and both processes came back; the rings are the parent's.
[[noreturn]] void end_forked_child(FunctionId function) {
  const internal::FunctionEntry* entry = registered_functions().find(function);
  fmt::print(
      stderr,
      "flowray: '{}' forked, and its child process came back as well; call _exit() there. The child ends.\n",
      entry == nullptr ? "" : entry->name);
  _exit(EXIT_FAILURE);
}

}  // namespace

void WorkerBackend::execute(std::span<const std::byte> message) {
  const Run run = read_message<Run>(message, run_parts_);
  std::vector<ValueView> values = take_arguments(run, message);
  // Only now: the views of a call that the owner took back end here, and the owner hears of it.
  if (run.mode == CallMode::kTask && !channel_.begin(run.ticket)) return;

  const auto begin = Clock::now();
  const size_t num_results = std::max<size_t>(run.num_returns, 1);  // the making of an actor may fail
  if (num_results > num_results_) {
    results_ = std::make_unique<Encoder[]>(num_results);
    num_results_ = num_results;
  }
  const bool succeeded = run_function(run.function, values[0], std::span<const ValueView>(values).subspan(1),
                                      actor_, {results_.get(), num_results});
  if (internal::backend_or_null() != this) end_forked_child(run.function);
  values.clear();
  const auto run_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  std::fflush(stdout);
  send_results(run, succeeded, static_cast<uint64_t>(run_ns));
  for (size_t i = 0; i < num_results; ++i) results_[i].clear();
}

/// `message` holds the bytes of values that ride in it, and outlives the views.
std::vector<ValueView> WorkerBackend::take_arguments(const Run& run, std::span<const std::byte> /*message*/) {
  const MutexLock lock(mutex_);
  std::vector<ValueView> values;
  if (const auto found = arguments_.find(run.task); found != arguments_.end()) {
    values = std::move(found->second);
    arguments_.erase(found);
  }
  if (values.size() != run.num_ahead || run.num_ahead + run.parts.size() == 0) {
    throw errors::DataLossError("the driver sent a call without all of its arguments");
  }
  values.reserve(values.size() + run.parts.size());
  for (const ValuePart& part : run.parts) {
    if (part.extent) {
      values.push_back(view_or_error(part));
    } else {
      ValueView& view = values.emplace_back();
      view.bytes = part.bytes;
      view.is_error = part.is_error;
    }
  }
  return values;
}

void WorkerBackend::send_results(const Run& run, bool succeeded, uint64_t run_ns) {
  const size_t num_sent = run.mode == CallMode::kMakeActor ? (succeeded ? 0 : 1) : run.num_returns;
  // All of them go in one message, at most kMostReturns.
  const size_t most_inline = num_sent <= 2 ? kInlineBytes : 2 * kInlineBytes / num_sent;
  std::vector<Outgoing> outgoing(num_sent);
  std::vector<ValuePart> parts(num_sent);
  for (size_t i = 0; i < num_sent; ++i) {
    try {
      place(results_[i], outgoing[i], most_inline);
    } catch (...) {  // the store is full
      const internal::FunctionEntry* const entry = registered_functions().find(run.function);
      encode_current_exception(results_[i], entry == nullptr ? "" : entry->name);
      if (encoded_size_bytes(results_[i]) > most_inline) {
        encode_error(
            results_[i], ErrorKind::kObjectStoreFull,
            {.message = "The object store has no room for one of the values that the call returned."});
      }
      place(results_[i], outgoing[i], kInlineBytes);
    }
    parts[i].bytes = outgoing[i].bytes;
    parts[i].extent = outgoing[i].extent;
    parts[i].is_error = outgoing[i].is_error;
  }
  const MutexLock lock(mutex_);
  post(Done{run.task, run_ns, parts});
}

namespace {

/// Lines are shown by the driver as they end.
void send_output_to(Descriptor out, Descriptor err) {
  dup2(out.get(), STDOUT_FILENO);
  dup2(err.get(), STDERR_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

}  // namespace

int worker_main(uint32_t worker, std::vector<Descriptor> descriptors) {
  if (descriptors.size() != kWorkerDescriptors) return 1;
  send_output_to(std::move(descriptors[kOutDescriptor]), std::move(descriptors[kErrDescriptor]));
  // As in Ray, each process computes with one thread: there are as many of them as there are cores.
  setenv("FLOWRAY_THREADS", "1", 0);
  try {
    Channel channel(SharedRegion::map(std::move(descriptors[kChannelDescriptor]), Channel::size_bytes(),
                                      SharedRegion::Access::kReadWrite));
    SharedRegion doorbell = SharedRegion::map(std::move(descriptors[kDoorbellDescriptor]),
                                              sizeof(DriverDoorbell), SharedRegion::Access::kReadWrite);
    const Descriptor event = std::move(descriptors[kEventDescriptor]);
    WorkerBackend backend(WorkerId{worker}, std::move(channel), std::move(doorbell), event.get(),
                          std::move(descriptors[kSocketDescriptor]));
    internal::set_backend(&backend);
    backend.run();
    internal::set_backend(nullptr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray: a worker ends: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace flowray::ray
