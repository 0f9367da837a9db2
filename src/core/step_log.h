#pragma once
/// When sessions of this process ran steps, for views that show them beside other work.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/mutex.h"

namespace flowray {

/// Keeps the last steps that took long enough to be seen, while it is on. Thread-safe.
class StepLog {
 public:
  struct Step {
    uint64_t begin_ns = 0;  ///< of the machine's steady clock
    uint64_t run_ns = 0;
  };
  static constexpr size_t kMostSteps = size_t{1} << 16;
  /// Shorter ones are left out.
  static constexpr uint64_t kLeastNs = 20'000;

  static StepLog& of_process();

  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  /// Off: it forgets what it has.
  void turn(bool on);
  void add(Step step);
  /// All steps, the first one first.
  std::vector<Step> steps() const;
  /// The steps since the last take(), which are forgotten then.
  std::vector<Step> take();
  bool is_empty() const { return is_empty_.load(std::memory_order_relaxed); }

  /// How many more of a kind of steps may pass unwatched. Thread-safe.
  using Unwatched = std::atomic<uint32_t>;

  /// Notes a step that lasts as long as it lives. Where one was too short, those that are like it are not
  /// looked at for some time: short ones come by the thousand, and to look at the clock costs more than a
  /// part of them.
  class Watch {
   public:
    explicit Watch(Unwatched& unwatched);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Unwatched& unwatched_;
    uint64_t begin_ns_ = 0;  // 0: it is not watched
  };

 private:
  std::atomic<bool> is_on_{false};
  std::atomic<bool> is_empty_{true};
  mutable Mutex mutex_;
  std::vector<Step> steps_ FLOWRAY_GUARDED_BY(mutex_);
  size_t num_added_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace flowray
