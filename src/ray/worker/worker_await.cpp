// Coroutines: calls that wait for values without a thread.

#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "ray/functions/function_registry.h"
#include "ray/values/value.h"
#include "ray/worker/executor.h"
#include "ray/worker/worker_later.h"

namespace flowray::ray {

using internal::ValueView;

namespace {

std::string cancelled_text(FunctionId function) {
  const internal::FunctionEntry* const entry = registered_functions().find(function);
  return fmt::format("Task: {} was cancelled. It waited for a value.",
                     entry == nullptr ? "this task" : entry->name);
}

}  // namespace

std::optional<ValueView> WorkerBackend::await(ObjectId object, internal::Awaiting& awaiting) {
  Executor* const executor = Executor::here;
  if (executor == nullptr || !executor->answers_later) {
    throw RayException(
        "co_await of an ObjectRef in a coroutine that nothing runs: it is neither a method that returns an "
        "Async nor called by one. Async::Get() runs one.");
  }
  const MutexLock lock(mutex_);
  if (is_abandoned_) throw RayException(kActorHasEnded);
  tell_let_go();
  const auto later = laters_.find(executor->run.task);
  if (executor->is_cancelled.load(std::memory_order_relaxed) && !executor->was_told) {
    executor->was_told = true;
    if (later != laters_.end()) later->second->was_told_ = true;
    throw TaskCancelledException(cancelled_text(executor->run.function));
  }
  if (later != laters_.end()) later->second->was_told_ = executor->was_told;
  hand_over(object);
  const uint64_t request = ++last_request_;
  awaits_[request] = {executor->run.task, &awaiting};  // before it is sent: the answer may come meanwhile
  post(GetValues{request, {&object, 1}});
  return std::nullopt;
}

/// Whether a coroutine awaits it, which is resumed soon then.
bool WorkerBackend::take_awaited(uint64_t request, const ValuePart& part) {
  const auto found = awaits_.find(request);
  if (found == awaits_.end()) return false;
  GoingOn& next = going_on_.emplace_back();
  try {
    next.value = view_or_error(part);
  } catch (...) {
    going_on_.pop_back();
    throw;
  }
  next.await = found->second;
  awaits_.erase(found);
  return true;
}

/// Ends a cancelled call's wait with an error, once.
void WorkerBackend::cancel_await(Later& later) {
  if (later.was_told_) return;
  const auto is_of_it = [&](const auto& await) { return await.second.task == later.run_.task; };
  const auto found = std::ranges::find_if(awaits_, is_of_it);
  if (found == awaits_.end()) return;
  ValueView error = error_view(ErrorKind::kTaskCancelled, cancelled_text(later.run_.function));
  going_on_.push_back({found->second, std::move(error), found->first});
  later.was_told_ = true;
  awaits_.erase(found);
}

/// What waits in an abandoned actor goes on with an error, and so comes to its end.
void WorkerBackend::end_awaits() {
  for (const auto& [request, await] : awaits_) {
    going_on_.push_back({await, error_view(ErrorKind::kOther, kActorHasEnded), request});
  }
  awaits_.clear();
}

/// With the first that can go on, as the call that the thread runs.
void WorkerBackend::take_going_on(Executor& executor) {
  executor.going_on = std::move(going_on_.front());
  going_on_.pop_front();
  const GoingOn& next = *executor.going_on;
  const auto later = laters_.find(next.await.task);
  const bool is_known = later != laters_.end();
  executor.run = is_known ? later->second->run_ : Run{};
  executor.is_cancelled.store(is_known && later->second->is_cancelled_, std::memory_order_relaxed);
  executor.answers_later = true;
  executor.was_told = is_known && later->second->was_told_;
  if (next.cancelled_request != 0) post(Cancel{next.cancelled_request});
}

void WorkerBackend::go_on(Executor& executor) {
  GoingOn next = std::move(*executor.going_on);
  executor.going_on.reset();
  const FunctionId function = executor.run.function;
  Executor::here = &executor;
  next.await.awaiting->go_on(std::move(next.value));
  Executor::here = nullptr;
  end_if_forked(function);
}

}  // namespace flowray::ray
