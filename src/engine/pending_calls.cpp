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

PendingCalls::PendingCalls(const RunContext& context, Cancellation& closing)
    : context_(context), closing_(closing) {}

PendingCalls::~PendingCalls() {
  for (const auto& call : calls_) {
    if (call->give_up) call->give_up();
  }
  while (!calls_.empty()) {
    std::unique_lock lock(inbox_->mutex);
    inbox_->arrived.wait(lock, [&] { return !inbox_->ended.empty(); });
    const std::vector<Ended> ended = std::exchange(inbox_->ended, {});
    lock.unlock();
    for (const Ended& one : ended) forget(one.number);
  }
}

void PendingCalls::start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs) {
  auto call = std::make_unique<Call>();
  call->number = number;
  call->inputs = std::move(inputs);
  call->call.emplace(node, call->inputs, [inbox = inbox_, number](graph::BlockingResult result) {
    const std::lock_guard lock(inbox->mutex);
    inbox->ended.push_back({number, std::move(result)});
    inbox->arrived.notify_one();
  });
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

void PendingCalls::wait() {
  std::unique_lock lock(inbox_->mutex);
  const auto any = [&] { return !inbox_->ended.empty(); };
  if (!context_.has_deadline()) {
    inbox_->arrived.wait(lock, any);
  } else if (!inbox_->arrived.wait_until(lock, context_.deadline, any)) {
    throw errors::DeadlineExceededError("Timed out waiting for notification");
  }
}

bool PendingCalls::has_ended(uint32_t number) {
  const std::lock_guard lock(inbox_->mutex);
  return std::ranges::find(inbox_->ended, number, &Ended::number) != inbox_->ended.end();
}

/// Without the lock: the end of a Listening waits for a listener that runs, which wants it.
void PendingCalls::forget(uint32_t number) {
  const auto found = std::ranges::find_if(calls_, [&](const auto& call) { return call->number == number; });
  calls_.erase(found);
}

}  // namespace flowray::engine
