// Calls of this worker that are wanted no more.

#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <list>
#include <span>
#include <utility>
#include <vector>

#include "ray/functions/function_registry.h"
#include "ray/values/value.h"
#include "ray/worker/executor.h"
#include "ray/worker/question.h"
#include "ray/worker/worker_later.h"

namespace flowray::ray {
namespace {

std::string name_of(FunctionId function) {
  const internal::FunctionEntry* const entry = registered_functions().find(function);
  return entry == nullptr ? "this task" : entry->name;
}

}  // namespace

void WorkerBackend::cancel(ObjectId object, bool force, bool recursive) {
  const MutexLock lock(mutex_);
  hand_over(object);
  const Question question(*this);
  post(CancelCall{question.id, object, force ? 1u : 0u, recursive ? 1u : 0u});
  answered(question, {});
  if (!question.text.empty()) throw RayException(question.text);
}

bool WorkerBackend::is_cancelled() {
  const Executor* const executor = Executor::here;
  if (executor == nullptr) return false;
  if (channel_.num_interrupts() != interrupts_heard_.load(std::memory_order_relaxed)) {
    const MutexLock lock(mutex_);
    hear_of_interrupts();
    tell_let_go();
  }
  return executor->is_cancelled.load(std::memory_order_relaxed) || is_abandoned_;
}

/// Reads the ring where a cancel has come; one that the ring had no room for comes later.
void WorkerBackend::hear_of_interrupts() {
  if (channel_.num_interrupts() != interrupts_heard_.load(std::memory_order_relaxed)) drain_for_all();
}

void WorkerBackend::on_interrupt(const Interrupt& interrupt) {
  const TaskId task = interrupt.task;
  if (interrupt.recursive != 0) cancel_linked(task);
  for (Executor* executor : executors_) {
    if (executor->run.task != task) continue;
    executor->is_cancelled.store(true, std::memory_order_relaxed);
    waiting_room_.wake_all();  // it may wait there
  }
  if (const auto later = laters_.find(task); later != laters_.end()) {
    later->second->is_cancelled_ = true;
    cancel_await(*later->second);
    if (later->second->when_cancelled_) to_tell_.emplace_back().swap(later->second->when_cancelled_);
  }
  for (Lane& lane : lanes_) {
    const auto is_it = [&](const auto& message) FLOWRAY_REQUIRES(mutex_) {
      return read_message<Run>(message, parts_).task == task;
    };
    // The last one: those before it were taken back, and the same task was sent again.
    const auto message = std::find_if(lane.runs.rbegin(), lane.runs.rend(), is_it);
    if (message == lane.runs.rend()) continue;
    cancelled_runs_.push_back(std::move(*message));
    lane.runs.erase(std::prev(message.base()));
    break;
  }
  interrupts_heard_.fetch_add(1, std::memory_order_relaxed);
}

/// One that cannot be answered yet, as memory is short, stays.
void WorkerBackend::answer_cancelled_runs() {
  while (!cancelled_runs_.empty()) {
    // Taken out: other threads come here while this one waits for room in the ring.
    std::list<std::vector<std::byte>> taken;
    taken.splice(taken.end(), cancelled_runs_, cancelled_runs_.begin());
    try {
      answer_cancelled_run(taken.front());
    } catch (...) {
      cancelled_runs_.splice(cancelled_runs_.begin(), taken);
      throw;
    }
  }
}

/// Throws before it has changed anything, and nothing once the run is answered.
void WorkerBackend::answer_cancelled_run(std::span<const std::byte> message) {
  std::vector<ValuePart> arguments;
  const Run run = read_message<Run>(message, arguments);
  Encoder encoder;
  RemoteFailure failure;
  failure.function = name_of(run.function);
  failure.message = fmt::format("Task: {} was cancelled. It had not begun.", failure.function);
  encode_error(encoder, ErrorKind::kTaskCancelled, failure);
  std::vector<std::byte> bytes(encoded_size_bytes(encoder));
  write_value(encoder, bytes.data());
  ValuePart error;
  error.bytes = bytes;
  error.is_error = true;
  const std::vector<ValuePart> returns(run.num_returns, error);
  if (!is_linked(run.task)) {
    post(Done{.task = run.task, .parts = returns, .has_thrown = 1, .is_final = 1});
  } else if (answer_linked(run, error, {.task = run.task, .parts = {&error, 1}, .has_thrown = 1})) {
    ring_driver();
  }
  for (const ValuePart& argument : arguments) {
    if (argument.extent) let_go_->read_ended(argument.object);
  }
  if (const auto ahead = arguments_.find(run.task); ahead != arguments_.end()) {
    std::vector<ValueView>& values = ahead->second;
    values.resize(values.size() - std::min<size_t>(run.num_ahead, values.size()));
    if (values.empty()) arguments_.erase(ahead);
  }
}

/// Called by the thread that looks out for messages and runs no call:
/// the functions are called without the lock.
void WorkerBackend::tell_of_cancels() {
  tell_let_go();
  const std::vector<std::function<void()>> functions = std::exchange(to_tell_, {});
  mutex_.unlock();
  for (const auto& told : functions) {
    try {
      told();
    } catch (const std::exception& error) {
      fmt::print(stderr, "flowray: what was to be done when a call is cancelled failed: {}\n", error.what());
    } catch (...) {
      fmt::print(stderr, "flowray: what was to be done when a call is cancelled failed\n");
    }
  }
  mutex_.lock();
}

/// As answered(). Throws TaskCancelledException, once, in a call that is cancelled and has no answer yet.
bool WorkerBackend::answered_unless_cancelled(const Question& question, internal::Deadline deadline) {
  Executor* const executor = Executor::here;
  if (executor == nullptr || executor->was_told) return answered(question, deadline);
  const auto is_cancelled = [&] { return executor->is_cancelled.load(std::memory_order_relaxed); };
  const auto is_over = [&] { return question.is_answered || is_cancelled(); };
  const auto is_anything = [&]() FLOWRAY_REQUIRES(mutex_) { return is_over() || !cancelled_runs_.empty(); };
  while (wait_until(deadline, is_anything) && !is_over()) answer_cancelled_runs();
  if (question.is_answered || !is_cancelled()) return question.is_answered;
  executor->was_told = true;
  post(Cancel{question.id});
  throw TaskCancelledException(
      fmt::format("Task: {} was cancelled. It waited for a value.", name_of(executor->run.function)));
}

}  // namespace flowray::ray
