// Running calls in a worker.

#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <flowray/ray/encoding.h>

#include "core/step_log.h"
#include "ray/functions/function_registry.h"
#include "ray/functions/run_function.h"
#include "ray/values/value.h"
#include "ray/worker/executor.h"

namespace flowray::ray {

using internal::ValueView;
using Clock = std::chrono::steady_clock;

namespace {

uint64_t nanoseconds(Clock::duration duration) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

}  // namespace

thread_local WorkerBackend::Executor* WorkerBackend::Executor::here = nullptr;

void WorkerBackend::run() {
  {
    const MutexLock lock(mutex_);
    post(Started{static_cast<uint32_t>(getpid())});
  }
  if (keeper_ == nullptr) {
    run_calls();
  } else {
    run_calls_of_thread();
  }
  for (std::thread& thread : threads_) thread.join();
  const MutexLock lock(mutex_);
  if (!trouble_.empty()) throw RayException(trouble_);
}

/// What ends this thread ends the actor's others.
void WorkerBackend::run_calls_of_thread() {
  try {
    run_calls();
  } catch (const std::exception& error) {
    const MutexLock lock(mutex_);
    if (!is_abandoned_) trouble_ = error.what();
    is_abandoned_ = true;
    exiting_ = true;
    waiting_room_.wake_all();
    lookout_wanted_.notify_all();
  }
}

/// While it lives, calls that are cancelled are looked for in the executor.
class WorkerBackend::Listed {
 public:
  Listed(WorkerBackend& backend, Executor& executor) : backend_(backend), executor_(executor) {
    const MutexLock lock(backend_.mutex_);
    backend_.executors_.push_back(&executor);
  }
  ~Listed() {
    Executor::here = nullptr;  // an exception may have come through a call
    const MutexLock lock(backend_.mutex_);
    std::erase(backend_.executors_, &executor_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  WorkerBackend& backend_;
  Executor& executor_;
};

void WorkerBackend::run_calls() {
  Executor executor;
  const Listed listed(*this, executor);
  for (Next next = take_next(executor); next != Next::kExit; next = take_next(executor)) {
    if (next == Next::kCall) {
      execute(executor);
    } else {
      go_on(executor);
    }
  }
}

/// Waits for a call that may begin or go on, and makes it the executor's.
WorkerBackend::Next WorkerBackend::take_next(Executor& executor) {
  const MutexLock lock(mutex_);
  constexpr size_t kSpare = 64;
  if (executor.message.capacity() > 0 && spare_.size() < kSpare)
    spare_.push_back(std::move(executor.message));
  hear_of_interrupts();
  tell_let_go();
  while (!has_work() && !exiting_ && !is_abandoned_) {
    if (has_lookout_) {
      ++idle_threads_;
      lookout_wanted_.wait(mutex_);
      --idle_threads_;
      continue;
    }
    has_lookout_ = true;
    wait_until({}, [this]() FLOWRAY_REQUIRES(mutex_) {
      return has_work() || exiting_ || has_to_tell() || is_abandoned_;
    });
    if (has_to_tell()) tell_of_cancels();
    has_lookout_ = false;
  }
  Next next = Next::kExit;
  if (is_abandoned_) end_awaits();
  if (!going_on_.empty()) {
    next = Next::kGoOn;
    take_going_on(executor);
  } else if (is_abandoned_) {
    next = Next::kExit;
  } else if (Lane* const lane = lane_to_begin()) {
    next = Next::kCall;
    take_call(executor, *lane);
  }
  if (idle_threads_ > 0) lookout_wanted_.notify_one();
  return next;
}

void WorkerBackend::take_call(Executor& executor, Lane& lane) {
  executor.message = std::move(lane.runs.front());
  lane.runs.pop_front();
  ++lane.num_running;
  executor.run = read_message<Run>(executor.message, executor.parts);
  executor.is_cancelled.store(false, std::memory_order_relaxed);
  if (unrung_since_ && !is_short(executor.run.function)) ring_driver();
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

void WorkerBackend::execute(Executor& executor) {
  const Run& run = executor.run;
  std::vector<ValueView>& values = executor.values;
  take_arguments(run, values);
  // Only now: the views of a call that the owner took back end here, and the owner is told.
  if (run.mode == CallMode::kTask && run.is_its != 0) {
    channel_.begin_unasked(run.ticket);
  } else if (run.mode == CallMode::kTask && !channel_.begin(run.ticket)) {
    values.clear();
    const MutexLock lock(mutex_);
    return end_call(run);
  }
  const auto begin = Clock::now();
  const std::span<Encoder> results = executor.results_for_run();
  bool succeeded = run_in(executor, values, results);
  values.clear();
  if (run.mode == CallMode::kMakeActor && succeeded)
    succeeded = restore_actor(results) && start_threads(results);
  std::fflush(stdout);
  if (!executor.answers_later)
    send_results(run, results, succeeded, begin, executor.fails_for_good, Then::kTakesNext, executor.answer);
  for (Encoder& result : results) result.clear();
}

bool WorkerBackend::run_in(Executor& executor, std::span<const ValueView> values,
                           std::span<Encoder> results) {
  const FunctionId function = executor.run.function;
  executor.answers_later = false;
  executor.was_told = false;
  executor.fails_for_good = false;
  if (executor.run.mode != CallMode::kActorCall) {
    gpus_.give(executor.run.gpus);
    if (keeper_ == nullptr) environment_.enter(executor.run.environment);
  }
  Executor::here = &executor;
  bool succeeded = false;
  try {
    succeeded = run_function(function, values[0], values.subspan(1), actor_, results);
  } catch (const internal::ActorExit&) {
    end_actor();
  }
  Executor::here = nullptr;
  end_if_forked(function);
  return succeeded;
}

void WorkerBackend::fail_for_good() {
  if (Executor::here != nullptr) Executor::here->fails_for_good = true;
}

void WorkerBackend::end_if_forked(FunctionId function) {
  if (internal::backend_or_null() != this) end_forked_child(function);
}

/// The owner ends this process, or abandons this thread: its calls have no other answers.
void WorkerBackend::end_actor() {
  std::fflush(nullptr);
  const MutexLock lock(mutex_);
  post(ExitActorCall());
  wait_until({}, [this] { return is_abandoned_.load(); });
}

internal::CurrentActor WorkerBackend::current_actor() {
  const MutexLock lock(mutex_);
  return {self_.actor, self_.restarts};
}

/// The actor that has just been made becomes what its last process has kept. False: it could not, and the
/// results say why.
bool WorkerBackend::restore_actor(std::span<Encoder> results) {
  ObjectId checkpoint;
  {
    const MutexLock lock(mutex_);
    checkpoint = self_.checkpoint;
  }
  if (!checkpoint || actor_.factory().restore == nullptr) return true;
  try {
    const ValueView value = std::move(get(checkpoint, {}).value());
    if (value.is_error) internal::throw_error_value(value);
    actor_.factory().restore(actor_.object(), value);
    return true;
  } catch (...) {
    for (Encoder& result : results) encode_current_exception(result, "restore");
    return false;
  }
}

/// After a call that may have changed the actor, before its answer, whose receiver sees no older state then.
void WorkerBackend::keep_checkpoint(FunctionId method) {
  if (!actor_ || actor_.factory().checkpoint == nullptr) return;
  const internal::FunctionEntry* const entry = registered_functions().find(method);
  if (entry != nullptr && entry->is_const) return;
  const MutexLock in_order(checkpoint_mutex_);
  Encoder encoder;
  actor_.factory().checkpoint(actor_.object(), encoder);
  Outgoing outgoing;
  place(encoder, outgoing);
  const MutexLock lock(mutex_);
  const ValuePart part = outgoing.part(new_objects(1));
  post(KeepCheckpoint{{&part, 1}});
}

/// Starts the threads of the actor that has just been made. False: there are too few, and the results say so.
bool WorkerBackend::start_threads(std::span<Encoder> results) {
  uint32_t wanted = 0;
  {
    const MutexLock lock(mutex_);
    wanted = self_.num_threads - 1;
  }
  try {
    while (threads_.size() < wanted) {
      threads_.emplace_back([this] {
        if (keeper_ != nullptr) {
          internal::set_backend_of_thread(this);
          return run_calls_of_thread();
        }
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
void WorkerBackend::end_call(const Run& run) {
  Lane& lane = lanes_[run.lane];
  const bool was_full = lane.num_running-- == lane.max_concurrency;
  // One that answers later may have held up the next; nothing in a ring tells the lookout.
  if (was_full && has_lookout_) waiting_room_.wake_all();
}

/// The run's message holds the bytes of values that ride in it, and outlives the views.
void WorkerBackend::take_arguments(const Run& run, std::vector<ValueView>& values) {
  const MutexLock lock(mutex_);
  values.clear();
  if (const auto found = arguments_.find(run.task); found != arguments_.end()) {
    // A task may have been taken back and sent here again: then there are those of its later Run, too.
    std::vector<ValueView>& ahead = found->second;
    const auto end = ahead.begin() + static_cast<ptrdiff_t>(std::min<size_t>(run.num_ahead, ahead.size()));
    values.assign(std::make_move_iterator(ahead.begin()), std::make_move_iterator(end));
    ahead.erase(ahead.begin(), end);
    if (ahead.empty()) arguments_.erase(found);
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
}

/// Reports the steps of sessions since the last report.
void WorkerBackend::tell_steps() {
  std::vector<uint64_t> times;
  for (const StepLog::Step& step : StepLog::of_process().take()) {
    times.push_back(step.begin_ns);
    times.push_back(step.run_ns);
  }
  constexpr size_t kAtOnce = 4096;
  for (std::span<const uint64_t> left = times; !left.empty();
       left = left.subspan(std::min(kAtOnce, left.size()))) {
    post(RanSteps{left.first(std::min(kAtOnce, left.size()))});
  }
}

bool WorkerBackend::is_short(FunctionId function) {
  constexpr auto kShort = std::chrono::microseconds(20);
  const auto found = took_lately_.find(function);
  return found != took_lately_.end() && found->second <= kShort;
}

/// After an answer. Where processes share cores, a thread of the driver's that waits is woken for several
/// answers, as for each one it would take the core from this process: not yet where the next call is here,
/// unless that may take long (take_call). If it does so against all experience, the driver's service thread
/// wakes the other one.
bool WorkerBackend::rings_later(FunctionId answered, Clock::time_point now, Clock::duration took) {
  constexpr auto kLongestUnrung = std::chrono::microseconds(50);
  if (!channel_.is_crowded() || keeper_ != nullptr) return false;
  if (lanes_.size() > 1 || lanes_[0].max_concurrency > 1) return false;
  Clock::duration& lately = took_lately_[answered];
  lately = std::max(took, lately - lately / 8);
  if (!lanes_[0].may_begin() && (!drain_for_all() || !lanes_[0].may_begin())) return false;
  if (!unrung_since_) unrung_since_ = now;
  return now - *unrung_since_ < kLongestUnrung;
}

void WorkerBackend::place_results(const Run& run, std::span<Encoder> results, Answer& answer) {
  // All of them go in one message, at most kMostReturns.
  const size_t most_inline = results.size() <= 2 ? kInlineBytes : 2 * kInlineBytes / results.size();
  std::vector<Outgoing>& outgoing = answer.values;
  if (outgoing.size() != results.size()) outgoing = std::vector<Outgoing>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
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
  }
  answer.parts.clear();
  for (const Outgoing& value : outgoing) answer.parts.push_back(value.part({}));
}

void WorkerBackend::send_results(const Run& run, std::span<Encoder> results, bool succeeded,
                                 Clock::time_point begin, bool fails_for_good, Then then, Answer& answer) {
  if (is_abandoned_) {  // the calls of an ended actor fail when its thread has come to its end
    const MutexLock lock(mutex_);
    return end_call(run);
  }
  const auto end = Clock::now();
  const auto took = end - begin;
  if (run.mode == CallMode::kActorCall) {
    try {
      keep_checkpoint(run.function);
    } catch (...) {
      if (succeeded) {
        for (Encoder& result : results) encode_current_exception(result, "checkpoint");
      }
      succeeded = false;
    }
  }
  const size_t num_sent = run.mode == CallMode::kMakeActor ? (succeeded ? 0 : 1) : run.num_returns;
  const Answer::Use use(answer);
  place_results(run, results.first(num_sent), answer);
  for (Encoder& result : results) result.let_arrays_go();
  const MutexLock lock(mutex_);
  // First: the owner does not wait for releases that come after it.
  tell_let_go();
  // A thread's are among the driver's.
  if (keeper_ == nullptr && !StepLog::of_process().is_empty()) tell_steps();
  const Done done{run.task,
                  nanoseconds(took),
                  answer.parts,
                  succeeded ? 0u : 1u,
                  nanoseconds(begin.time_since_epoch()),
                  fails_for_good ? 1u : 0u};
  const bool rings = !is_linked(run.task) || answer_linked(run, answer.parts[0], done);
  if (!is_linked(run.task)) publish(done);
  taken_.erase(run.task);
  end_call(run);
  if (std::ranges::any_of(answer.values, [](const Outgoing& value) { return bool(value.lender); })) {
    // Ends of readings are withheld until the owner has what is lent. It waits for this word.
    for (Outgoing& value : answer.values) value.loan = {};
    tell_let_go();
    publish(ReadEnded{});
  }
  if (!rings) return;
  if (then == Then::kTakesNext && rings_later(run.function, end, took)) {
    channel_.service_doorbell().ring(event_fd_);
  } else {
    ring_driver();
  }
}

namespace {

/// Lines are shown by the driver as they end.
void send_output_to(Descriptor out, Descriptor err) {
  dup2(out.get(), STDOUT_FILENO);
  dup2(err.get(), STDERR_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

}  // namespace

namespace {

enum class Results { kMayLieInStore, kLieInHeap };

int run_worker(uint32_t worker, std::vector<Descriptor> descriptors, Results results) {
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
                          std::move(descriptors[kSocketDescriptor]), WorkerBackend::Home::kProcess);
    internal::set_backend(&backend);
    struct Forget {  // also where it throws: other threads of the process may still fetch
      WorkerBackend& backend;
      ~Forget() {
        end_to_take_results(backend);
        internal::set_backend(nullptr);
      }
    };
    const Forget forget{backend};
    if (results == Results::kMayLieInStore) backend.fetch_into_store();
    StepLog::of_process().turn(true);
    backend.run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray: a worker ends: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

int worker_main(uint32_t worker, std::vector<Descriptor> descriptors) {
  return run_worker(worker, std::move(descriptors), Results::kMayLieInStore);
}

int python_worker_main(uint32_t worker, std::vector<Descriptor> descriptors) {
  return run_worker(worker, std::move(descriptors), Results::kLieInHeap);
}

}  // namespace flowray::ray
