// Memory in the store for arrays that sessions fetch.

#include <flowray/errors.h>

#include "core/result_memory.h"
#include "ray/driver/driver_backend.h"

namespace flowray::ray {

namespace {

/// Whose store takes the arrays that sessions fetch. A step may ask while the runtime ends.
struct TakesResults {
  Mutex mutex;
  DriverBackend* backend FLOWRAY_GUARDED_BY(mutex) = nullptr;
};
constinit TakesResults takes_results;

BufferRef memory_in_store(size_t bytes) {
  // A process that the program forked has its books and its store, too, which are the parent's.
  const internal::Backend* const here = internal::backend_or_null();
  if (here == nullptr) return {};
  const MutexLock lock(takes_results.mutex);
  DriverBackend* const backend = takes_results.backend;
  return backend == nullptr || backend != here ? BufferRef() : backend->memory_of_result(bytes);
}

}  // namespace

void DriverBackend::take_results(bool does) {
  const MutexLock lock(takes_results.mutex);
  if (!does && takes_results.backend != this) return;
  takes_results.backend = does ? this : nullptr;
  result_memory = does ? memory_in_store : nullptr;
}

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
