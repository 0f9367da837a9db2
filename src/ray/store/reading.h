#pragma once

#include <atomic>
#include <memory>
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
  void release(ObjectId object) noexcept;
  void read_ended(ObjectId object) noexcept;
  /// Room in the store that became no value.
  void discard(const Extent& extent) noexcept;
  /// Moves both lists out, into empty ones; false: there is nothing.
  bool take(std::vector<ObjectId>& released, std::vector<ObjectId>& read);
  /// What was discarded since; of the driver's.
  std::vector<Extent> take_discarded();

 private:
  void note(ObjectId object, std::vector<ObjectId>& list) noexcept FLOWRAY_REQUIRES(mutex_);

  Mutex mutex_;
  // Hints, so that looking is cheap: a missed one is seen the next time.
  std::atomic<bool> any_{false};
  std::atomic<bool> any_discarded_{false};
  std::vector<ObjectId> released_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<ObjectId> read_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<Extent> discarded_ FLOWRAY_GUARDED_BY(mutex_);
};

/// A value in the store, read where it lies: its region stays mapped, and `let_go` hears when the last array
/// is gone.
internal::ValueView view_in_store(std::shared_ptr<SharedRegion> region, const Extent& extent, ObjectId object,
                                  std::shared_ptr<LetGo> let_go);

}  // namespace flowray::ray
