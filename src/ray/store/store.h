#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ray/store/extent_allocator.h"
#include "ray/transport/protocol.h"

namespace flowray::ray {

/// Makes the store's regions and hands them to workers. The driver has memfds; tests count.
class RegionHost {
 public:
  virtual ~RegionHost() = default;
  /// Throws errors::ResourceExhaustedError when the system has no such memory.
  virtual void create(SlabId slab, uint64_t bytes) = 0;
  virtual void destroy(SlabId slab) = 0;
  /// The worker gets the region before every message that is sent to it from now on.
  virtual void share(SlabId slab, WorkerId worker, bool writable) = 0;
};

/// The books of the object store: slabs, who writes into each, and which extents of them hold values. Bytes
/// are none of its business. Not thread-safe; the owner's.
///
/// A slab is written by one process: by the driver, or by the worker that has a lease on it and keeps its own
/// list of free extents. The books know the sealed values of each, so that a dead worker's slab goes on where
/// it stands.
class Store {
 public:
  Store(RegionHost& regions, uint64_t capacity_bytes);

  /// Room for a value that the driver writes. Throws errors::ResourceExhaustedError when the store is full.
  Extent allocate(uint64_t bytes);
  /// A slab with room for `bytes` for the worker to write into. Throws errors::ResourceExhaustedError.
  SlabId lease(WorkerId worker, uint64_t bytes);
  /// A worker says that a value lies there. Throws errors::DataLossError if it has no business there.
  void seal(WorkerId worker, const Extent& extent);
  /// Nobody uses the value any more. The worker that has to hear of it, if any.
  std::optional<WorkerId> free(const Extent& extent);
  /// Sees that the worker has the region.
  void show(const Extent& extent, WorkerId worker);
  /// The worker could not take a region that it should have, if it still should.
  void share_again(SlabId slab, WorkerId worker);
  /// The worker is dead: its slabs are the driver's now.
  void take_back(WorkerId worker);

  uint64_t slab_bytes(SlabId slab) const { return slabs_.at(slab.value).bytes; }
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  /// Of regions, whether in use or kept for the next value.
  uint64_t region_bytes() const { return region_bytes_; }
  /// Of values.
  uint64_t used_bytes() const { return used_bytes_; }

 private:
  struct Slab {
    uint64_t bytes = 0;
    WorkerId writer;                            // none: the driver
    std::optional<ExtentAllocator> free_space;  // of the driver's
    std::map<uint64_t, uint64_t> sealed;        // offset to size, of a worker's
    std::vector<WorkerId> readers;              // who has the region
  };

  /// Throws errors::ResourceExhaustedError for what would not fit into an empty store, before it is added
  /// to anything.
  void refuse_too_large(uint64_t bytes) const;
  SlabId add_slab(uint64_t bytes, WorkerId writer);
  void remove_slab(SlabId slab);
  /// Gives empty slabs of the driver back until `bytes` more fit; whether they do.
  bool make_room(uint64_t bytes);
  std::optional<Extent> allocate_in(uint32_t slab_id, Slab& slab, uint64_t bytes);

  RegionHost& regions_;
  const uint64_t capacity_bytes_;
  uint64_t region_bytes_ = 0;
  uint64_t used_bytes_ = 0;
  uint32_t last_slab_ = 0;
  std::map<uint32_t, Slab> slabs_;
};

}  // namespace flowray::ray
