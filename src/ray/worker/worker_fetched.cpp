// Arrays that sessions of a worker fetch, written into the store at once.

#include <flowray/errors.h>

#include "core/result_memory.h"
#include "ray/store/store.h"
#include "ray/values/value.h"
#include "ray/worker/question.h"
#include "ray/worker/worker_backend.h"

namespace flowray::ray {

void WorkerBackend::fetch_into_store() {
  fetched_->set_most_bytes(channel_.most_fetched_bytes());
  begin_to_take_results(*this, [](internal::Backend& backend, size_t bytes) {
    return static_cast<WorkerBackend&>(backend).memory_of_result(bytes);
  });
}

BufferRef WorkerBackend::memory_of_result(size_t bytes) {
  if (!fetched_->wants(bytes)) return {};
  const MutexLock lock(mutex_);
  Extent extent;
  try {
    extent = allocate_if_free(FetchedPlaces::kRoomBytes + bytes);
    if (!extent) return {};  // then it lies in the heap
    return FetchedPlaces::make(fetched_, region(extent.slab, SharedRegion::Access::kReadWrite), extent,
                               let_go_);
  } catch (const std::exception&) {
    if (extent) give_up(extent);
    return {};
  }
}

/// Where it has a lease, or the owner has room that nobody uses. No extent: neither. A worker that was
/// refused does not ask again soon: each question costs a way to the driver and back.
Extent WorkerBackend::allocate_if_free(size_t bytes) {
  constexpr uint32_t kFetchesUnasked = 32;
  if (const auto extent = allocate_in_leases(bytes, most_region_bytes_for(bytes))) return *extent;
  if (fetches_unasked_ > 0) {
    --fetches_unasked_;
    return {};
  }
  if (exiting_) return {};  // the driver may answer no more, and the actor's end may wait for this step
  const Question question(*this);
  post(Lease{question.id, bytes, 1});
  wait_until({}, [&]() FLOWRAY_REQUIRES(mutex_) { return question.is_answered || exiting_; });
  if (!question.leased.slab) {
    fetches_unasked_ = kFetchesUnasked;
    return {};
  }
  return allocate_in_new(question.leased, bytes).value_or(Extent());
}

/// The value that is one array, where a step of this process wrote it for that, is an object of its own from
/// now on, which this process reads. No object: it is another one. The driver is not woken: a message that
/// names the object follows, or ring_driver().
ObjectId WorkerBackend::put_fetched(const Encoder& value) {
  if (!is_array_behind(value, FetchedPlaces::kRoomBytes)) return {};
  const Array& array = value.arrays()[0];
  if (array.size_bytes() < kLeastResultBytes) return {};
  const MutexLock lock(mutex_);
  ValuePart part;
  part.object = new_objects(1);
  part.extent = fetched_->claim(array.raw_data(), array.size_bytes(), part.object);
  if (!part.extent) return {};
  // Written by this process alone, whatever it lies in now: see claim().
  std::byte* const data = const_cast<std::byte*>(static_cast<const std::byte*>(array.raw_data()));
  write_head_before_array(value, data - FetchedPlaces::kRoomBytes, FetchedPlaces::kRoomBytes);
  publish(PutValue{{&part, 1}, 1});
  return part.object;
}

/// A value had to be copied: the next array of its size that a step gives may lie in the store.
void WorkerBackend::note_copied(const Encoder& value) {
  if (!is_array_behind(value, FetchedPlaces::kRoomBytes)) return;
  const size_t bytes = value.arrays()[0].size_bytes();
  if (bytes >= kLeastResultBytes) fetched_->note_put(bytes);
}

}  // namespace flowray::ray
