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

PendingCalls::PendingCalls(const RunContext& context, Cancellation& closing, std::shared_ptr<RunInbox> inbox)
    : context_(context), closing_(closing), inbox_(std::move(inbox)), reader_(inbox_->new_reader()) {}

PendingCalls::~PendingCalls() {
  if (empty()) return;
  works_.clear();
  give_up();
  while (!calls_.empty()) {
    inbox_->wait_for(reader_);
    (void)take_ended();
  }
}

void PendingCalls::start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs,
                         const graph::FrameIteration& at, bool is_dead) {
  auto call = std::make_unique<Call>();
  call->number = number;
  call->inputs = std::move(inputs);
  const auto end = [inbox = inbox_, reader = reader_, number](graph::BlockingResult result) {
    // The run may forget the call, and this function with it, as soon as the result is there.
    const std::shared_ptr<RunInbox> kept = inbox;
    kept->add({reader, number, std::move(result)});
  };
  const graph::CallLimits limits{context_.cancellation, &closing_, nullptr, context_.deadline};
  const graph::TransferContext transfer{context_.rendezvous, at, is_dead};
  call->call.emplace(node, call->inputs, end, limits, transfer);
  call->give_up = node.schema().row.start(*call->call);
  Call& started = *calls_.emplace_back(std::move(call));
  if (inbox_->has(reader_, number)) return;
  if (context_.cancellation != nullptr)
    started.listens_to_caller.emplace(*context_.cancellation, started.give_up);
  started.listens_to_session.emplace(closing_, started.give_up);
}

void PendingCalls::start(uint32_t number, std::unique_ptr<WaitingWork> work) {
  works_.push_back({number, std::move(work)});
}

std::vector<PendingCalls::Ended> PendingCalls::take_ended() {
  std::vector<Ended> ended;
  for (RunInbox::Ended& one : inbox_->take(reader_)) {
    forget(one.number);
    ended.push_back({.number = one.number, .result = std::move(one.result)});
  }
  std::vector<Work> open;
  for (Work& work : works_) {
    if (std::optional<Ended> end = advance(work)) {
      ended.push_back(std::move(*end));
    } else {
      open.push_back(std::move(work));
    }
  }
  works_ = std::move(open);
  return ended;
}

std::optional<PendingCalls::Ended> PendingCalls::advance(Work& work) {
  try {
    if (!work.work->advance()) return std::nullopt;
    return Ended{.number = work.number, .is_work = true};
  } catch (...) {
    return Ended{.number = work.number, .is_work = true, .error = std::current_exception()};
  }
}

void PendingCalls::give_up() {
  inbox_->forget_deadline();
  for (const auto& call : calls_) {
    if (call->give_up) call->give_up();
  }
  for (const Work& work : works_) work.work->give_up();
}

/// Without the lock: the end of a Listening waits for a listener that runs, which wants it.
void PendingCalls::forget(uint32_t number) {
  const auto found = std::ranges::find_if(calls_, [&](const auto& call) { return call->number == number; });
  if (found != calls_.end()) calls_.erase(found);  // one that threw while it was started is not there
}

}  // namespace flowray::engine
