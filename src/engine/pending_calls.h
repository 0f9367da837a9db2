#pragma once
/// The blocking instructions that one run has started and that are not over yet. Whoever ends one only leaves
/// its result here; the run takes it up in a thread that waits, or that is sent for it.

#include "engine/run_context.h"
#include "graph/blocking_call.h"
#include "graph/evaluate.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace flowray::engine {

class PendingCalls {
 public:
  /// The calls end early when `closing` or the context's wish is given. `wake`: see suspend().
  PendingCalls(const RunContext& context, Cancellation& closing, std::function<void()> wake = {});
  /// Ends all that are under way early and waits for their ends.
  ~PendingCalls();
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  /// Starts `node` as call `number`. Throws what its `start` throws. `at` and `is_dead`: see graph::TransferContext.
  void start(uint32_t number, const graph::Node& node, std::vector<graph::NodeInput> inputs,
             const graph::FrameIteration& at = {}, bool is_dead = false);
  bool empty() const { return calls_.empty(); }

  struct Ended {
    uint32_t number = 0;
    graph::BlockingResult result;
  };
  /// Those that ended since it was asked last. Does not wait.
  std::vector<Ended> take_ended();
  /// Wants all that are under way to end early. Their ends are still to be taken, and no deadline counts now.
  void give_up();

  /// Waits until one has ended or the deadline is over.
  void wait();
  /// The calling thread goes away, and `wake` will be called once, when one has ended or after expire().
  /// False: that is so already, and the thread had better stay.
  bool suspend();
  /// The deadline is over. From any thread.
  void expire();

 private:
  /// What the ends of the calls share with the run; outlives it until the last of them has let go of it.
  struct Inbox {
    std::mutex mutex;  // guards what follows
    std::condition_variable arrived;
    std::vector<Ended> ended;
    bool expired = false;
    bool suspended = false;
    std::function<void()> wake;

    void add(Ended one);
    void expire();
    /// Wakes, without the lock: from then on the run, and this with it, may end at any time.
    void tell(std::unique_lock<std::mutex> lock);
  };
  struct Call;

  bool has_ended(uint32_t number);
  void forget(uint32_t number);

  const RunContext& context_;
  Cancellation& closing_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::vector<std::unique_ptr<Call>> calls_;
  bool gave_up_ = false;
};

}  // namespace flowray::engine
