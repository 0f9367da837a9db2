#pragma once
/// The blocking instructions that one run has started and that are not over yet. The thread that runs the
/// step waits for them; whoever ends one only leaves its result here.

#include "engine/run_context.h"
#include "graph/blocking_call.h"
#include "graph/evaluate.h"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace flowray::engine {

class PendingCalls {
 public:
  /// The calls end early when `closing` or the context's wish is given.
  PendingCalls(const RunContext& context, Cancellation& closing);
  /// Ends all that are under way early and waits for their ends.
  ~PendingCalls();
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  /// Starts `node` as call `number`. Throws what its `start` throws.
  void start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs);
  bool empty() const { return calls_.empty(); }

  struct Ended {
    uint32_t number = 0;
    graph::BlockingResult result;
  };
  /// Those that ended since it was asked last. Does not wait.
  std::vector<Ended> take_ended();
  /// Waits until one has ended. Throws errors::DeadlineExceededError.
  void wait();

 private:
  /// What the ends of the calls share with the run; outlives it until the last of them has let go of it.
  struct Inbox {
    std::mutex mutex;  // guards ended
    std::condition_variable arrived;
    std::vector<Ended> ended;
  };
  struct Call;

  bool has_ended(uint32_t number);
  void forget(uint32_t number);

  const RunContext& context_;
  Cancellation& closing_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace flowray::engine
