#include "ray/worker/worker_later.h"

#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "ray/values/value.h"
#include "ray/worker/executor.h"

namespace flowray::ray {

WorkerBackend::Later::Later(WorkerBackend& backend, const Run& run)
    : backend_(backend), results_(std::make_unique<Encoder[]>(std::max(run.num_returns, 1u))), run_(run) {
  run_.parts = {};
}

WorkerBackend::Later::~Later() {
  if (is_sent_) return;
  try {
    for (Encoder& result : results())
      encode_error(result, ErrorKind::kOther, {.message = "The call ended without an answer."});
    send(false);
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray: a call ends without an answer: {}\n", error.what());
  }
}

void WorkerBackend::Later::send(bool succeeded) {
  if (std::exchange(is_sent_, true)) throw RayException("A call has been answered before.");
  {
    const MutexLock lock(backend_.mutex_);
    backend_.laters_.erase(run_.task);
  }
  std::fflush(stdout);
  Answer answer;
  backend_.send_results(run_, results(), succeeded, begin_, fails_for_good_, Then::kGoesElsewhere, answer);
  const MutexLock lock(backend_.mutex_);
  backend_.tell_let_go();  // no thread of the runtime's comes by when a coroutine ends
}

void WorkerBackend::Later::exit_actor() {
  is_sent_ = true;
  {
    const MutexLock lock(backend_.mutex_);
    backend_.laters_.erase(run_.task);  // an actor's thread goes on, and may hear that the call is cancelled
  }
  backend_.end_actor();
}

void WorkerBackend::Later::when_cancelled(std::function<void()> told) {
  {
    const MutexLock lock(backend_.mutex_);
    if (!is_cancelled_) {
      when_cancelled_ = std::move(told);
      return;
    }
  }
  told();
}

std::unique_ptr<internal::LaterAnswer> WorkerBackend::answer_later() {
  Executor* const executor = Executor::here;
  if (executor == nullptr) throw RayException("No call runs in this thread that could be answered later.");
  if (executor->answers_later) throw RayException("The call has an answer that comes later already.");
  auto answer = std::make_unique<Later>(*this, executor->run);
  const MutexLock lock(mutex_);
  laters_[executor->run.task] = answer.get();
  answer->is_cancelled_ = executor->is_cancelled;
  executor->answers_later = true;
  return answer;
}

}  // namespace flowray::ray
