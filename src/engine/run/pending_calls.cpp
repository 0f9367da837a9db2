#include "engine/run/pending_calls.h"

#include "graph/kernel/files_of_step.h"

#include <atomic>

namespace flowray::engine {

struct PendingCalls::Call {
  std::atomic<bool> has_ended = false;
  std::vector<graph::NodeInput> inputs;
  std::optional<graph::BlockingCall> call;
  std::function<void()> give_up;
  std::optional<Cancellation::Listening> listens_to_caller;
  std::optional<Cancellation::Listening> listens_to_session;
};

PendingCalls::PendingCalls(const RunSurroundings& surroundings, std::shared_ptr<RunInbox> inbox)
    : states_(surroundings.states),
      context_(surroundings.context),
      closing_(surroundings.closing),
      files_(surroundings.files),
      inbox_(std::move(inbox)),
      reader_(inbox_->new_reader()) {}

PendingCalls::~PendingCalls() {
  works_.clear();
  if (!calls_.empty()) give_up();
  while (!calls_.empty()) {
    inbox_->wait_for(reader_);
    (void)take_ended();
  }
  (void)inbox_->take(reader_);  // of what told its end and threw
}

void PendingCalls::start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs,
                         const graph::FrameIteration& at, bool is_dead) {
  auto call = std::make_unique<Call>();
  call->inputs = std::move(inputs);
  const auto end = [inbox = inbox_, reader = reader_, number, it = call.get()](graph::BlockingResult result) {
    // The run may forget the call, and this function with it, as soon as the result is there.
    const std::shared_ptr<RunInbox> kept = inbox;
    it->has_ended.store(true, std::memory_order_relaxed);
    kept->add({reader, number, std::move(result)});
  };
  const graph::CallLimits limits{context_.cancellation, &closing_, nullptr, context_.deadline,
                                 context_.nested};
  const graph::TransferContext transfer{context_.rendezvous, at, is_dead};
  call->call.emplace(node, call->inputs, end, limits, transfer, &states_);
  const graph::FilesOfStep scope(files_);
  call->give_up = node.schema().row.start(*call->call);
  Call& started = *calls_.emplace(number, std::move(call)).first->second;
  if (started.has_ended.load(std::memory_order_relaxed)) return;
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
    // Without the lock: the end of a Listening waits for a listener that runs, which may need the lock.
    calls_.erase(one.number);
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
  for (const auto& [number, call] : calls_) {
    if (call->give_up) call->give_up();
  }
  for (const Work& work : works_) work.work->give_up();
}

}  // namespace flowray::engine
