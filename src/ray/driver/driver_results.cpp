// Memory in the store for arrays that sessions fetch.

#include <flowray/errors.h>

#include "ray/driver/driver_backend.h"

namespace flowray::ray {

BufferRef DriverBackend::memory_of_result(size_t bytes) {
  if (!fetched_->wants(bytes)) return {};
  const MutexLock lock(mutex_);
  if (!is_running()) return {};
  Extent extent;
  try {
    settle_let_go();
    ask_owner([&]() FLOWRAY_REQUIRES(mutex_) {
      extent = owner_->allocate_if_there_is_room(FetchedPlaces::kRoomBytes + bytes);
    });
    if (!extent) return {};  // then it lies in the heap
    return FetchedPlaces::make(fetched_, regions_.at(extent.slab.value), extent, let_go_);
  } catch (const std::exception&) {
    if (extent && !broken_) let_go_->discard(extent);
    return {};
  }
}

}  // namespace flowray::ray
