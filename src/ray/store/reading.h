#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <flowray/ray/backend.h>

#include "core/mutex.h"
#include "ray/transport/protocol.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What the threads of a process have let go of, until the owner is told. Outlives the runtime, as arrays
/// that were read in place may. Thread-safe. Where there is no memory to note it, the object stays until the
/// runtime ends.
class LetGo {
 public:
  enum class Counts { kNo, kYes };
  /// References and reads that are there, by their objects.
  struct Held {
    std::unordered_map<ObjectId, uint64_t> handles;
    std::unordered_map<ObjectId, uint64_t> reads;
  };
  /// kYes: it knows what is held, for pass_to.
  explicit LetGo(Counts counts = Counts::kNo) : counts_(counts == Counts::kYes) {}

  /// A large value in the store that is being read in place.
  struct Large {
    ObjectId object;
    Extent extent;
    std::span<const std::byte> bytes;
  };

  void handle_begins(ObjectId object);
  void read_begins(const Large& read);
  void release(ObjectId object) noexcept;
  void read_ended(ObjectId object) noexcept;
  void read_ended(ObjectId object, std::span<const std::byte> bytes) noexcept;
  /// One that is being read and has that byte; else no object. Until end_loan() the owner is not told that
  /// readings of it have ended: what says that a value is a part of it comes first.
  Large begin_loan(const void* byte);
  void end_loan(const Large& large) noexcept;
  /// Room in the store that became no value.
  void discard(const Extent& extent) noexcept;
  /// Moves both lists out, into empty ones; false: there is nothing.
  bool take(std::vector<ObjectId>& released, std::vector<ObjectId>& read);
  /// From now on the first thing that is let go of adds one to the eventfd; false: something is there
  /// already. awake() must come before it is closed.
  bool wakes(int event_fd) noexcept;
  /// Ends that; whether it was added to.
  bool awake() noexcept;
  /// The extents discarded since the last call, in the driver.
  std::vector<Extent> take_discarded();
  /// Nobody takes from this one any more. What is held now, whose end is `heir`'s to tell.
  Held pass_to(std::shared_ptr<LetGo> heir) noexcept;

 private:
  void note(ObjectId object, std::vector<ObjectId>& list) noexcept FLOWRAY_REQUIRES(mutex_);
  void tell_of_end(ObjectId object) noexcept FLOWRAY_REQUIRES(mutex_);
  void note_any() noexcept FLOWRAY_REQUIRES(mutex_);

  const bool counts_;
  Mutex mutex_;
  Held held_ FLOWRAY_GUARDED_BY(mutex_);
  struct Counted {
    Large large;
    uint64_t readings = 0;
    uint64_t loans = 0;
    uint64_t withheld = 0;  // ends of readings that the owner is to hear of when the last loan has ended
  };
  /// By where they begin, and their objects: a value that was lent lies where its lender does.
  std::map<std::pair<const std::byte*, uint64_t>, Counted> large_ FLOWRAY_GUARDED_BY(mutex_);
  // Hints, so that looking is cheap: a missed one is seen the next time.
  std::atomic<bool> any_{false};
  std::atomic<bool> any_discarded_{false};
  std::vector<ObjectId> released_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<ObjectId> read_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<Extent> discarded_ FLOWRAY_GUARDED_BY(mutex_);
  std::shared_ptr<LetGo> heir_ FLOWRAY_GUARDED_BY(mutex_);
  int event_fd_ FLOWRAY_GUARDED_BY(mutex_) = -1;  // to be added to, at once
  bool has_added_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

/// A value that is sent on as a part of one that is being read. It ends by itself when it is let go of.
class Loan {
 public:
  Loan() = default;
  /// Of the value that has that byte, if one is being read there.
  Loan(std::shared_ptr<LetGo> let_go, const void* byte)
      : let_go_(std::move(let_go)), large_(let_go_->begin_loan(byte)) {}
  Loan(Loan&& other) noexcept : let_go_(std::move(other.let_go_)), large_(std::exchange(other.large_, {})) {}
  Loan& operator=(Loan&& other) noexcept {
    std::swap(let_go_, other.let_go_);
    std::swap(large_, other.large_);
    return *this;
  }
  ~Loan() {
    if (large_.object) let_go_->end_loan(large_);
  }
  const LetGo::Large& large() const { return large_; }

 private:
  std::shared_ptr<LetGo> let_go_;
  LetGo::Large large_;
};

/// A value in the store, read where it lies: its region stays mapped, and `let_go` is told
/// when the last array is gone.
internal::ValueView view_in_store(std::shared_ptr<SharedRegion> region, const Extent& extent, ObjectId object,
                                  std::shared_ptr<LetGo> let_go);

}  // namespace flowray::ray
