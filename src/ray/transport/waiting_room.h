#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <flowray/ray/backend.h>

#include "core/function_ref.h"
#include "core/mutex.h"
#include "ray/transport/ring.h"

namespace flowray::ray {

/// Where threads of a process wait until messages have brought what they need. One of them, the poller, looks
/// at the process's rings for a while and then sleeps on its doorbell; the others sleep on a condition
/// variable. All under the one mutex of the process's runtime, which guards the WaitingRoom, too.
class WaitingRoom {
 public:
  struct Rings {
    /// Whether a message is there; costs next to nothing.
    FunctionRef<bool()> anything_to_read;
    /// Reads all messages; whether anything has changed for the waiting threads.
    FunctionRef<bool()> drain;
    /// The last look, after the doorbell was told of the sleep: whether there is nothing to do before it.
    FunctionRef<bool()> may_sleep;
  };
  static constexpr int64_t kNoLimit = -1;

  /// `longest_sleep_us`: after that the poller looks at its rings though no doorbell rang, for those that a
  /// broken process may have silenced.
  explicit WaitingRoom(Doorbell& doorbell, int64_t longest_sleep_us = kNoLimit)
      : doorbell_(doorbell), longest_sleep_us_(longest_sleep_us) {}

  /// Waits until done() or the deadline; whether it is done. `spin_us`: how long to look before sleeping
  /// at most. What the functions throw ends the waiting of the thread that called them.
  bool wait(Mutex& mutex, internal::Deadline deadline, int64_t spin_us, const FunctionRef<bool()>& done,
            const Rings& rings) FLOWRAY_REQUIRES(mutex);
  /// Whether a thread waits here, and so reads the rings: the poller, or one of the others soon, if it has
  /// just left.
  bool is_occupied() const { return has_poller_ || sleepers_ > 0; }
  /// Something has changed that did not come by a ring: everybody looks again.
  void wake_all();
  /// Messages were read by a thread that does not wait here.
  void wake_sleepers();
  /// The poller sleeps on that one, too, from now on (Doorbell::can_sleep_on_several), or no more.
  void add(std::shared_ptr<Doorbell> doorbell);
  void remove(const Doorbell* doorbell) noexcept;

 private:
  class Polling;
  bool poll(Mutex& mutex, internal::Deadline deadline, int64_t spin_us, const FunctionRef<bool()>& done,
            const Rings& rings) FLOWRAY_REQUIRES(mutex);

  static constexpr int64_t kShortestSpinUs = 1;
  static constexpr int64_t kLongestSpinUs = 64;

  int64_t sleep_us(internal::Deadline deadline) const;
  void sleep_on_all(Mutex& mutex, internal::Deadline deadline, const Rings& rings) FLOWRAY_REQUIRES(mutex);

  Doorbell& doorbell_;
  std::vector<std::shared_ptr<Doorbell>> others_;
  const int64_t longest_sleep_us_;
  /// Halved when looking was in vain, 1 more when it was not: doubling instead keeps a busy machine in the
  /// bad state.
  int64_t worthwhile_spin_us_ = kLongestSpinUs;
  CondVar changed_;
  int sleepers_ = 0;
  bool has_poller_ = false;
};

}  // namespace flowray::ray
