#pragma once
/// The steps that have a part in this process, or that other tasks want something of.

#include "cluster/worker/step_rendezvous.h"
#include "core/mutex.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace flowray::cluster {

/// By the numbers that masters give them. A step begins with what comes first, a part or a question for what
/// that will leave, and ends when its master says so. Thread-safe.
class Steps {
 public:
  /// A part of the step begins here. Throws errors::AbortedError for one that is over.
  std::shared_ptr<StepRendezvous> begin(int64_t step_id);

  /// A request for a value that a part sends. Lives while the request waits. Throws errors::AbortedError for
  /// a step that is over.
  class Visit {
   public:
    Visit(Steps& steps, int64_t step_id);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    StepRendezvous& step() const { return *step_; }

   private:
    Steps& steps_;
    std::shared_ptr<StepRendezvous> step_;
  };

  /// The step is over: what waits in it fails, what comes for it later is refused.
  void end(int64_t step_id, Code code, const std::string& text);
  /// Ends all steps in this way.
  void end_all(Code code, const std::string& text);
  size_t size() const;

  using Clock = std::chrono::steady_clock;
  /// Steps that begin from now on remember what comes from other tasks (StepRendezvous::received()), for
  /// masters that ask for it by itself: until it was ended as often as it was begun, and for kLongestLogging
  /// at most. A master begins it right before its step, and may not live to end it. Where all that may be
  /// remembered is, what was remembered before is forgotten for what is asked for now.
  void begin_to_log_receives(Clock::time_point now = Clock::now());
  void end_logging_receives();
  bool logs_receives(Clock::time_point now = Clock::now()) const;
  /// What the step has received, which has been told then; null for a step that is not there.
  std::shared_ptr<StepRendezvous> tell_received(int64_t step_id);
  /// Of the steps of which it has been told: other masters may still want to know of theirs.
  void forget_received();

  /// How many ended steps are remembered, and how many are kept that their masters have not ended.
  static constexpr size_t kMostOver = 8192;
  static constexpr size_t kMostKept = 65'536;
  static constexpr auto kLongestLogging = std::chrono::seconds(60);
  static constexpr size_t kMostLogging = 1024;
  static constexpr int64_t kMostReceived = 200'000;  // of all steps; some 200 bytes each

  explicit Steps(int64_t most_received = kMostReceived)
      : budget_(std::make_shared<ReceiveBudget>(most_received)) {}

 private:
  struct Entry {
    std::shared_ptr<StepRendezvous> step;
    size_t num_visits = 0;
    bool has_part = false;
    bool has_told = false;
  };
  Entry& entry(int64_t step_id) FLOWRAY_REQUIRES(mutex_);
  std::shared_ptr<StepRendezvous> forget(int64_t step_id) FLOWRAY_REQUIRES(mutex_);

  bool is_logging(Clock::time_point now) const FLOWRAY_REQUIRES(mutex_);

  const std::shared_ptr<ReceiveBudget> budget_;
  mutable Mutex mutex_;
  /// When each that was begun and not ended is over.
  std::deque<Clock::time_point> logging_ends_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<int64_t, Entry> entries_ FLOWRAY_GUARDED_BY(mutex_);
  std::deque<int64_t> begun_ FLOWRAY_GUARDED_BY(mutex_);  // parts, in the order in which they began
  std::unordered_set<int64_t> over_ FLOWRAY_GUARDED_BY(mutex_);
  std::deque<int64_t> ended_ FLOWRAY_GUARDED_BY(mutex_);  // over_, in the order in which they ended
};

}  // namespace flowray::cluster
