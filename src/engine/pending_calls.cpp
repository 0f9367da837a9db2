#include "engine/pending_calls.h"

#include <algorithm>

namespace flowray::engine {

struct PendingCalls::Call {
  uint32_t number;
  std::vector<graph::NodeInput> inputs;
  std::optional<graph::BlockingCall> call;
  std::function<void()> give_up;
  std::optional<Cancellation::Listening> listens_to_caller;
  std::optional<Cancellation::Listening> listens_to_session;
};

void PendingCalls::Inbox::add(Ended one) {
  std::unique_lock lock(mutex);
  ended.push_back(std::move(one));
  tell(std::move(lock));
}

void PendingCalls::Inbox::expire() {
  std::unique_lock lock(mutex);
  expired = true;
  tell(std::move(lock));
}

void PendingCalls::Inbox::tell(std::unique_lock<std::mutex> lock) {
  arrived.notify_one();
  if (!std::exchange(suspended, false)) return;
  const std::function<void()> call = wake;
  lock.unlock();
  call();
}

PendingCalls::PendingCalls(const RunContext& context, Cancellation& closing, std::function<void()> wake)
    : context_(context), closing_(closing) {
  inbox_->wake = std::move(wake);
}

PendingCalls::~PendingCalls() {
  give_up();
  while (!calls_.empty()) {
    wait();
    (void)take_ended();
  }
}

void PendingCalls::start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs,
                         const graph::FrameIteration& at, bool is_dead) {
  auto call = std::make_unique<Call>();
  call->number = number;
  call->inputs = std::move(inputs);
  call->call.emplace(
      node, call->inputs,
      [inbox = inbox_, number](graph::BlockingResult result) {
        // The run may forget the call, and this function with it, as soon as the result is there.
        const std::shared_ptr<Inbox> kept = inbox;
        kept->add({number, std::move(result)});
      },
      graph::TransferContext{context_.rendezvous, at, is_dead});
  call->give_up = node.schema().row.start(*call->call);
  Call& started = *calls_.emplace_back(std::move(call));
  if (has_ended(number)) return;
  if (context_.cancellation != nullptr)
    started.listens_to_caller.emplace(*context_.cancellation, started.give_up);
  started.listens_to_session.emplace(closing_, started.give_up);
}

std::vector<PendingCalls::Ended> PendingCalls::take_ended() {
  std::vector<Ended> ended;
  {
    const std::lock_guard lock(inbox_->mutex);
    ended.swap(inbox_->ended);
  }
  for (const Ended& one : ended) forget(one.number);
  return ended;
}

void PendingCalls::give_up() {
  gave_up_ = true;
  for (const auto& call : calls_) {
    if (call->give_up) call->give_up();
  }
}

void PendingCalls::wait() {
  std::unique_lock lock(inbox_->mutex);
  const auto any = [&] { return !inbox_->ended.empty(); };
  if (gave_up_ || !context_.has_deadline()) {
    inbox_->arrived.wait(lock, any);
  } else {
    inbox_->arrived.wait_until(lock, context_.deadline, any);
  }
}

bool PendingCalls::suspend() {
  const std::lock_guard lock(inbox_->mutex);
  // The alarm may have come while something else was done; it comes once.
  if ((inbox_->expired && !gave_up_) || !inbox_->ended.empty()) return false;
  inbox_->suspended = true;
  return true;
}

void PendingCalls::expire() { inbox_->expire(); }

bool PendingCalls::has_ended(uint32_t number) {
  const std::lock_guard lock(inbox_->mutex);
  return std::ranges::find(inbox_->ended, number, &Ended::number) != inbox_->ended.end();
}

/// Without the lock: the end of a Listening waits for a listener that runs, which wants it.
void PendingCalls::forget(uint32_t number) {
  const auto found = std::ranges::find_if(calls_, [&](const auto& call) { return call->number == number; });
  if (found != calls_.end()) calls_.erase(found);  // one that threw while it was started is not there
}

}  // namespace flowray::engine
