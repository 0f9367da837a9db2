// Running calls in a worker.

#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <flowray/ray/encoding.h>

#include "ray/functions/function_registry.h"
#include "ray/functions/run_function.h"
#include "ray/values/value.h"
#include "ray/worker/worker_backend.h"

namespace flowray::ray {

using internal::ValueView;
using Clock = std::chrono::steady_clock;

/// What a thread needs to run calls, one after the other.
struct WorkerBackend::Executor {
  std::unique_ptr<Encoder[]> results;  // used again by each call
  size_t num_results = 0;
  std::vector<ValuePart> parts;
  TaskId task;  // that runs
  uint32_t num_returns = 0;
  bool answers_later = false;

  std::span<Encoder> results_for(const Run& run) {
    const size_t needed = std::max<size_t>(run.num_returns, 1);  // the making of an actor may fail
    if (needed > num_results) {
      results = std::make_unique<Encoder[]>(needed);
      num_results = needed;
    }
    return {results.get(), needed};
  }
};

namespace {
/// A WorkerBackend::Executor: the one whose thread this is, while a call runs in it.
thread_local void* running_in = nullptr;

uint64_t nanoseconds(Clock::duration duration) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}
}  // namespace

void WorkerBackend::run() {
  {
    const MutexLock lock(mutex_);
    post(Started{static_cast<uint32_t>(getpid())});
  }
  run_calls();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerBackend::run_calls() {
  Executor executor;
  std::vector<std::byte> message;
  while (take_call(message)) execute(executor, message);
}

/// Waits for a call that may begin. `message`: the last one's before, the next one's after. False: Exit.
bool WorkerBackend::take_call(std::vector<std::byte>& message) {
  const MutexLock lock(mutex_);
  constexpr size_t kSpare = 64;
  if (message.capacity() > 0 && spare_.size() < kSpare) spare_.push_back(std::move(message));
  tell_let_go();
  while (!may_begin() && !exiting_) {
    if (has_lookout_) {
      ++idle_threads_;
      lookout_wanted_.wait(mutex_);
      --idle_threads_;
      continue;
    }
    has_lookout_ = true;
    wait_until({}, [this]() FLOWRAY_REQUIRES(mutex_) { return may_begin() || exiting_; });
    has_lookout_ = false;
  }
  const bool has_call = may_begin();
  if (has_call) {
    message = std::move(runs_.front());
    runs_.pop_front();
    ++num_running_;
  }
  if (idle_threads_ > 0) lookout_wanted_.notify_one();
  return has_call;
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

void WorkerBackend::execute(Executor& executor, std::span<const std::byte> message) {
  const Run run = read_message<Run>(message, executor.parts);
  std::vector<ValueView> values = take_arguments(run, message);
  // Only now: the views of a call that the owner took back end here, and the owner hears of it.
  if (run.mode == CallMode::kTask && !channel_.begin(run.ticket)) {
    const MutexLock lock(mutex_);
    return end_call();
  }
  const auto begin = Clock::now();
  const std::span<Encoder> results = executor.results_for(run);
  bool succeeded = run_in(executor, run, values, results);
  values.clear();
  if (run.mode == CallMode::kMakeActor && succeeded) succeeded = start_threads(results);
  const auto took = Clock::now() - begin;
  std::fflush(stdout);
  if (!executor.answers_later) send_results(run, results, succeeded, took);
  for (Encoder& result : results) result.clear();
}

bool WorkerBackend::run_in(Executor& executor, const Run& run, std::span<const ValueView> values,
                           std::span<Encoder> results) {
  executor.task = run.task;
  executor.num_returns = run.num_returns;
  executor.answers_later = false;
  running_in = &executor;
  const bool succeeded = run_function(run.function, values[0], values.subspan(1), actor_, results);
  running_in = nullptr;
  if (internal::backend_or_null() != this) end_forked_child(run.function);
  return succeeded;
}

/// Those of the actor that has just been made. False: there are too few, and the results say so.
bool WorkerBackend::start_threads(std::span<Encoder> results) {
  uint32_t wanted = 0;
  {
    const MutexLock lock(mutex_);
    wanted = num_threads_ - 1;
  }
  try {
    while (threads_.size() < wanted) {
      threads_.emplace_back([this] {
        try {
          run_calls();
        } catch (const std::exception& error) {
          fmt::print(stderr, "flowray: a worker ends: {}\n", error.what());
          _exit(EXIT_FAILURE);
        }
      });
    }
    return true;
  } catch (const std::system_error& error) {
    const std::string text = fmt::format(
        "The actor is to run {} calls at a time, and only {} threads could be started for them: {}.\n"
        "Give it a smaller max_concurrency, or raise the limit of processes (ulimit -u).",
        wanted + 1, threads_.size() + 1, error.what());
    for (Encoder& result : results) encode_error(result, ErrorKind::kOther, {.message = text});
    return false;
  }
}

/// A call has been answered, or is another worker's.
void WorkerBackend::end_call() {
  const bool was_full = num_running_-- == max_concurrency_;
  // One that answers later may have held up the next; nothing in a ring tells the lookout.
  if (was_full && has_lookout_) waiting_room_.wake_all();
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

void WorkerBackend::send_results(const Run& run, std::span<Encoder> results, bool succeeded,
                                 Clock::duration took) {
  const size_t num_sent = run.mode == CallMode::kMakeActor ? (succeeded ? 0 : 1) : run.num_returns;
  // All of them go in one message, at most kMostReturns.
  const size_t most_inline = num_sent <= 2 ? kInlineBytes : 2 * kInlineBytes / num_sent;
  std::vector<Outgoing> outgoing(num_sent);
  std::vector<ValuePart> parts(num_sent);
  for (size_t i = 0; i < num_sent; ++i) {
    try {
      place(results[i], outgoing[i], most_inline);
    } catch (...) {  // the store is full
      const internal::FunctionEntry* const entry = registered_functions().find(run.function);
      encode_current_exception(results[i], entry == nullptr ? "" : entry->name);
      if (encoded_size_bytes(results[i]) > most_inline) {
        encode_error(
            results[i], ErrorKind::kObjectStoreFull,
            {.message = "The object store has no room for one of the values that the call returned."});
      }
      place(results[i], outgoing[i], kInlineBytes);
    }
    parts[i].bytes = outgoing[i].bytes;
    parts[i].extent = outgoing[i].extent;
    parts[i].is_error = outgoing[i].is_error;
  }
  const MutexLock lock(mutex_);
  post(Done{run.task, nanoseconds(took), parts});
  end_call();
}

/// The answer of a call whose function may have returned.
class WorkerBackend::Later final : public internal::LaterAnswer {
 public:
  Later(WorkerBackend& backend, TaskId task, uint32_t num_returns)
      : backend_(backend), results_(std::make_unique<Encoder[]>(std::max(num_returns, 1u))) {
    run_.task = task;
    run_.mode = CallMode::kActorCall;
    run_.num_returns = num_returns;
  }
  ~Later() override {
    if (is_sent_) return;
    try {
      for (Encoder& result : results())
        encode_error(result, ErrorKind::kOther, {.message = "The call ended without an answer."});
      send(false);
    } catch (const std::exception& error) {
      fmt::print(stderr, "flowray: a call ends without an answer: {}\n", error.what());
    }
  }

  std::span<Encoder> results() noexcept override { return {results_.get(), run_.num_returns}; }
  void send(bool succeeded) override {
    if (std::exchange(is_sent_, true)) throw RayException("A call has been answered before.");
    std::fflush(stdout);
    backend_.send_results(run_, results(), succeeded, Clock::now() - begin_);
  }

 private:
  WorkerBackend& backend_;
  const std::unique_ptr<Encoder[]> results_;
  const Clock::time_point begin_ = Clock::now();
  Run run_;
  bool is_sent_ = false;
};

std::unique_ptr<internal::LaterAnswer> WorkerBackend::answer_later() {
  auto* const executor = static_cast<Executor*>(running_in);
  if (executor == nullptr) throw RayException("No call runs in this thread that could be answered later.");
  if (executor->answers_later) throw RayException("The call has an answer that comes later already.");
  auto answer = std::make_unique<Later>(*this, executor->task, executor->num_returns);
  executor->answers_later = true;
  return answer;
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
