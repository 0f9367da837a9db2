// Values that a call gives one by one, and taking those of others.

#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <utility>

#include "ray/worker/executor.h"
#include "ray/worker/question.h"

namespace flowray::ray {

using internal::CurrentCall;
using internal::NextItem;

CurrentCall WorkerBackend::current_call() {
  if (Executor::here == nullptr) return {};
  const Run& run = Executor::here->run;
  return {run.task.value, run.is_stream != 0, run.most_ahead, run.group};
}

void WorkerBackend::give_item(const CurrentCall& call, uint64_t index, Encoder& value) {
  Outgoing outgoing;
  place(value, outgoing);
  const MutexLock lock(mutex_);
  const ValuePart part = outgoing.part(new_objects(1));
  post(Give{{call.number}, index, {&part, 1}});
  tell_let_go();
}

void WorkerBackend::wait_to_give(const CurrentCall& call, uint64_t given) {
  if (call.most_ahead == 0) return;
  const MutexLock lock(mutex_);
  const TaskId task{call.number};
  Executor* const executor =
      Executor::here != nullptr && Executor::here->run.task == task ? Executor::here : nullptr;
  const auto may_go_on = [&]() FLOWRAY_REQUIRES(mutex_) {
    return given - std::min(given, taken_[task]) < call.most_ahead;
  };
  const auto is_cancelled = [&] {
    return executor != nullptr && executor->is_cancelled.load(std::memory_order_relaxed);
  };
  const auto is_anything = [&]() FLOWRAY_REQUIRES(mutex_) {
    return may_go_on() || is_cancelled() || exiting_ || !cancelled_runs_.empty();
  };
  while (!may_go_on() && !exiting_) {
    if (is_cancelled()) {
      executor->was_told = true;
      throw TaskCancelledException("Task was cancelled. It waited until its values are taken.");
    }
    wait_until({}, is_anything);
    answer_cancelled_runs();
  }
}

NextItem WorkerBackend::next_item(ObjectId stream, internal::ObjectHandle** taken,
                                  internal::Deadline deadline) {
  const MutexLock lock(mutex_);
  tell_let_go();
  Question question(*this);
  post(AskNext{question.id, stream, taken == nullptr ? 0u : 1u});
  // The value may be on its way: then it is the answer, be it late.
  try {
    if (!answered_unless_cancelled(question, deadline)) {
      post(Cancel{question.id});
      answered(question, {});
    }
  } catch (const TaskCancelledException&) {
    answered(question, {});
    if (question.next.what != NextItem::kItem) throw;
    Executor::here->was_told = false;  // it is told where it waits next
  }
  if (taken != nullptr && question.next.what == NextItem::kItem) *taken = new_handle(question.next.item);
  return question.next.what;
}

}  // namespace flowray::ray
