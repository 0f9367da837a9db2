#pragma once
/// Receives the completions of all that one run has started, inside of its branches and loops too.
/// A completing thread only leaves its result here; the run takes it up in a thread that waits, or
/// by a continuation.

#include "core/mutex.h"
#include "engine/run/run_context.h"
#include "graph/kernel/blocking_call.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace flowray::engine {

/// Shared with the calls, so that it outlives the run until the last of them has let go of it. add() and
/// expire() from any thread, the others from the run's.
class RunInbox {
 public:
  /// `wake`: see suspend().
  explicit RunInbox(std::function<void()> wake = {}) : wake_(std::move(wake)) {}

  /// A consumer of completions: a part of the run (PendingCalls).
  using Reader = uint64_t;
  struct Ended {
    Reader reader = 0;
    uint32_t number = 0;
    graph::BlockingResult result;
  };

  Reader new_reader() { return ++last_reader_; }
  /// A call has ended.
  void add(Ended one);
  /// The calls of a reader that have ended since the last take(). Does not wait.
  std::vector<Ended> take(Reader reader);

  /// Waits until something has ended or the deadline is over.
  void wait(const RunContext& context);
  /// Waits until something of this reader's has ended.
  void wait_for(Reader reader);
  /// The calling thread goes away, and `wake` will be called once, when something has ended or after
  /// expire(). False: that is so already, and the thread had better stay.
  bool suspend();
  /// The deadline is over.
  void expire();
  /// The run ends early already, so no deadline counts any more.
  void forget_deadline() { knows_of_end_ = true; }

 private:
  /// Wakes the waiter. What it returns, if anything, is to be called without the lock: from then on the run
  /// may end at any time, and this with it.
  std::function<void()> tell() FLOWRAY_REQUIRES(mutex_);

  Reader last_reader_ = 0;
  bool knows_of_end_ = false;
  Mutex mutex_;
  CondVar arrived_;
  std::vector<Ended> ended_ FLOWRAY_GUARDED_BY(mutex_);
  bool expired_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool suspended_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::engine
