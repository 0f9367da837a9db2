#pragma once
/// The pending operations of one part of a run: calls of blocking instructions, and branches and loops that
/// contain some.

#include "engine/run/run_inbox.h"
#include "engine/run/waiting_work.h"
#include "graph/kernel/evaluate.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flowray::engine {

class PendingCalls {
 public:
  /// The calls end early with the session or by the context's wish. Their ends come to `inbox`.
  PendingCalls(const RunSurroundings& surroundings, std::shared_ptr<RunInbox> inbox);
  /// Ends all that are under way early and waits for their ends.
  ~PendingCalls();
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  /// Starts `node` as call `number`. Throws what its `start` throws. `at` and `is_dead`:
  /// see graph::TransferContext.
  void start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs,
             const graph::FrameIteration& at = {}, bool is_dead = false);
  /// Goes on with `work` until it is over. It has a number of its own among the calls.
  void start(uint32_t number, std::unique_ptr<WaitingWork> work);
  bool empty() const { return calls_.empty() && works_.empty(); }

  struct Ended {
    uint32_t number = 0;
    bool is_work = false;
    std::exception_ptr error = nullptr;  // what the work threw
    graph::BlockingResult result = {};   // of a call
  };
  /// The calls that have ended since the last take_ended(). Does not wait,
  /// but advances works as far as it can.
  std::vector<Ended> take_ended();
  /// Wants all that are under way to end early. Their ends are still to be taken, and no deadline counts now.
  void give_up();

  const std::shared_ptr<RunInbox>& inbox() const { return inbox_; }

 private:
  struct Call;
  struct Work {
    uint32_t number;
    std::unique_ptr<WaitingWork> work;
  };

  static std::optional<Ended> advance(Work& work);

  graph::NodeStates& states_;
  const RunContext& context_;
  Cancellation& closing_;
  const files::FileAccess& files_;
  const std::shared_ptr<RunInbox> inbox_;
  const RunInbox::Reader reader_;
  std::unordered_map<uint32_t, std::unique_ptr<Call>> calls_;  // by number
  std::vector<Work> works_;
};

}  // namespace flowray::engine
