#include "ray/store/fetched_places.h"

#include <flowray/ray/backend.h>

#include <algorithm>
#include <utility>

#include "core/result_memory.h"

namespace flowray::ray {
namespace {

constexpr size_t kMostSizes = 16;
constexpr int kMostUnused = 8;

/// Whose store takes the arrays that sessions fetch. A step may ask while the runtime ends.
struct TakesResults {
  Mutex mutex;
  internal::Backend* backend FLOWRAY_GUARDED_BY(mutex) = nullptr;
  MemoryOfResult memory FLOWRAY_GUARDED_BY(mutex) = nullptr;
};
constinit TakesResults takes_results;

BufferRef memory_in_store(size_t bytes) {
  // A process that the program forked has its parent's books and store, and no runtime; an actor in a thread
  // has another one.
  const internal::Backend* const here = internal::backend_or_null();
  if (here == nullptr) return {};
  const MutexLock lock(takes_results.mutex);
  if (takes_results.backend != here) return {};
  return takes_results.memory(*takes_results.backend, bytes);
}

}  // namespace

void begin_to_take_results(internal::Backend& backend, MemoryOfResult memory) {
  const MutexLock lock(takes_results.mutex);
  takes_results.backend = &backend;
  takes_results.memory = memory;
  result_memory = memory_in_store;
}

void end_to_take_results(const internal::Backend& backend) {
  const MutexLock lock(takes_results.mutex);
  if (takes_results.backend != &backend) return;
  takes_results.backend = nullptr;
  result_memory = nullptr;
}

FetchedPlaces::Size* FetchedPlaces::size(size_t bytes) {
  const auto found = std::ranges::find(sizes_, bytes, &Size::bytes);
  return found == sizes_.end() ? nullptr : &*found;
}

void FetchedPlaces::set_most_bytes(size_t bytes) {
  const MutexLock lock(mutex_);
  most_bytes_ = bytes;
}

void FetchedPlaces::note_put(size_t bytes) {
  const MutexLock lock(mutex_);
  if (Size* const known = size(bytes)) {
    known->unused = 0;
    return;
  }
  if (sizes_.size() >= kMostSizes) sizes_.pop_back();
  sizes_.insert(sizes_.begin(), Size{bytes, 0});
}

bool FetchedPlaces::wants(size_t bytes) {
  const MutexLock lock(mutex_);
  Size* const known = size(bytes);
  if (known == nullptr || bytes_ > most_bytes_ || bytes > most_bytes_ - bytes_) return false;
  if (++known->unused <= kMostUnused) return true;
  std::erase_if(sizes_, [&](const Size& other) { return other.bytes == bytes; });
  return false;
}

BufferRef FetchedPlaces::make(const std::shared_ptr<FetchedPlaces>& places,
                              std::shared_ptr<SharedRegion> region, const Extent& extent,
                              std::shared_ptr<LetGo> let_go) {
  std::byte* const data = region->data() + extent.offset + kRoomBytes;
  auto place = std::make_unique<Place>(Place{places, std::move(region), std::move(let_go), extent, {}});
  {
    const MutexLock lock(places->mutex_);
    places->places_[data] = place.get();
    places->bytes_ += extent.size_bytes;
  }
  try {
    // The holder may not write it in place: it may be an object's memory by then.
    BufferRef buffer = Buffer::adopt(data, extent.size_bytes - kRoomBytes, end, place.get(), false);
    (void)place.release();  // the buffer's now
    return buffer;
  } catch (...) {
    const MutexLock lock(places->mutex_);
    places->places_.erase(data);
    places->bytes_ -= extent.size_bytes;
    throw;
  }
}

Extent FetchedPlaces::claim(const void* data, size_t bytes, ObjectId object) {
  const MutexLock lock(mutex_);
  const auto found = places_.find(data);
  if (found == places_.end() || found->second->object ||
      bytes != found->second->extent.size_bytes - kRoomBytes)
    return {};
  Place& place = *found->second;
  place.let_go->read_begins({object, place.extent, place.bytes()});
  place.object = object;
  if (Size* const known = size(bytes)) known->unused = 0;
  return place.extent;
}

void FetchedPlaces::end(void* owner) {
  const std::unique_ptr<Place> place(static_cast<Place*>(owner));
  // As where a reading ends: without a runtime there is no store to tell.
  if (internal::backend_or_null() == nullptr) return;
  {
    const MutexLock lock(place->places->mutex_);
    place->places->places_.erase(place->region->data() + place->extent.offset + kRoomBytes);
    place->places->bytes_ -= place->extent.size_bytes;
  }
  if (place->object) {
    place->let_go->read_ended(place->object, place->bytes());
  } else {
    place->let_go->discard(place->extent);
  }
}

}  // namespace flowray::ray
