#pragma once
/// Room in the store for arrays that sessions fetch, so that to put one copies nothing.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/buffer.h"
#include "core/mutex.h"
#include "ray/store/reading.h"

namespace flowray::ray {

/// Asked by steps of the process whose runtime it is, where arrays may lie in its store.
using MemoryOfResult = BufferRef (*)(internal::Backend& backend, size_t bytes);
/// Results of sessions lie where `memory` says, as long as `backend` is the runtime of the thread that asks.
void begin_to_take_results(internal::Backend& backend, MemoryOfResult memory);
/// Ends that, and comes back when no step asks any more.
void end_to_take_results(const internal::Backend& backend);

/// Where a process' fetched arrays lie: each in an extent of the store, behind room for the head of the value
/// that it becomes if the program puts it; then the extent is the object's. Arrays of sizes that the program
/// has put before are worth it. Thread-safe.
class FetchedPlaces {
 public:
  /// Before the array: what an Array's value begins with takes less.
  static constexpr size_t kRoomBytes = 256;

  /// The most bytes that all such arrays may have together, put or not: others need the store, too.
  void set_most_bytes(size_t bytes);
  /// An array of that many bytes was put, and had to be copied.
  void note_put(size_t bytes);
  /// Whether one of that size is likely to be put.
  bool wants(size_t bytes);
  /// The array's buffer; `let_go` is told when the last array that uses it has gone.
  static BufferRef make(const std::shared_ptr<FetchedPlaces>& places, std::shared_ptr<SharedRegion> region,
                        const Extent& extent, std::shared_ptr<LetGo> let_go);
  /// The extent of the array that begins there and has that many bytes, which is the object's from now on,
  /// and counts as a reading of it; none if there is no such array, or it is an object's already.
  Extent claim(const void* data, size_t bytes, ObjectId object);

 private:
  struct Place {
    std::shared_ptr<FetchedPlaces> places;
    std::shared_ptr<SharedRegion> region;
    std::shared_ptr<LetGo> let_go;
    Extent extent;
    ObjectId object;  // guarded by places->mutex_
    std::span<const std::byte> bytes() const { return {region->data() + extent.offset, extent.size_bytes}; }
  };
  struct Size {
    size_t bytes = 0;
    int unused = 0;  // places in a row of which none was put
  };
  static void end(void* place);
  Size* size(size_t bytes) FLOWRAY_REQUIRES(mutex_);

  Mutex mutex_;
  size_t most_bytes_ FLOWRAY_GUARDED_BY(mutex_) = SIZE_MAX;
  size_t bytes_ FLOWRAY_GUARDED_BY(mutex_) = 0;                                // of all places
  std::unordered_map<const void*, Place*> places_ FLOWRAY_GUARDED_BY(mutex_);  // by the array's data
  std::vector<Size> sizes_ FLOWRAY_GUARDED_BY(mutex_);                         // the last one first
};

}  // namespace flowray::ray
