#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include <flowray/errors.h>

#include "core/function_ref.h"
#include "ray/store/extent_allocator.h"
#include "ray/transport/protocol.h"

namespace flowray::ray {

/// A smaller store would not have room for one region of small values.
inline constexpr uint64_t kLeastStoreBytes = uint64_t{8} << 20;

/// Makes the store's regions and hands them to workers. The driver has memfds; tests count.
class RegionHost {
 public:
  virtual ~RegionHost() = default;
  /// Throws errors::ResourceExhaustedError when the system has no such memory.
  virtual void create(SlabId slab, uint64_t bytes) = 0;
  virtual void destroy(SlabId slab) = 0;
  /// The worker gets the region before every message that is sent to it from now on.
  virtual void share(SlabId slab, WorkerId worker, bool writable) = 0;
  /// The worker forgets the region before every message that is sent to it from now on.
  virtual void unshare(SlabId slab, WorkerId worker) = 0;

  /// The worker may place values under the lease of that number.
  virtual void open_lease(WorkerId worker, uint32_t lease) = 0;
  /// Ends the lease if the worker has placed `num_values` (mod 2^31) under it and no further ones, which the
  /// owner would not know; whether that was so.
  virtual bool end_lease(WorkerId worker, uint32_t lease, uint32_t num_values) = 0;
};

/// There is no room, and would be none if all that can be freed were freed.
class StoreFullError : public errors::ResourceExhaustedError {
 public:
  using errors::ResourceExhaustedError::ResourceExhaustedError;
};

/// A part of a slab that a worker may write into.
struct LeasedRoom {
  SlabId slab;
  uint32_t lease = 0;
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
};

/// The largest region that serves a value of so many bytes: in a larger one it would keep room from others
/// for as long as it lives, and while it is being written.
uint64_t most_region_bytes_for(uint64_t value_bytes);

/// The books of the object store: slabs, which worker writes into which part, and which extents hold values.
/// It never touches the bytes. Not thread-safe; the owner's.
///
/// A worker that has a lease keeps the list of free extents in it; the books know the sealed values, so that
/// a dead worker's lease goes on where it stands. The lease of a living worker ends in the same way when room
/// is lacking, if the worker has no value there of which the books do not know: it need not be asked.
class Store {
 public:
  Store(RegionHost& regions, uint64_t capacity_bytes);

  /// Room for a value that the driver writes. Throws StoreFullError, or errors::ResourceExhaustedError when
  /// the system has no such memory.
  Extent allocate(uint64_t bytes);
  /// Room of at least `bytes` for the worker to write into: a slab, or, where room is scarce, a part of one.
  /// Throws as allocate.
  LeasedRoom lease(WorkerId worker, uint64_t bytes);
  /// A worker says that a value lies there. Throws errors::DataLossError if it has no business there.
  void seal(WorkerId worker, const Extent& extent);
  /// Frees the extent of a value. Returns the worker that has to be told, if any.
  std::optional<WorkerId> free(const Extent& extent);
  /// Sees that the worker has the region.
  void show(const Extent& extent, WorkerId worker);
  /// The worker could not take a region that it should have, if it still should.
  void share_again(SlabId slab, WorkerId worker);
  /// The worker is dead: what it leased is free, but for its values.
  void take_back(WorkerId worker);

  uint64_t slab_bytes(SlabId slab) const { return slabs_.at(slab.value).bytes; }
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  /// Bytes of all regions, whether in use or kept for the next value.
  uint64_t region_bytes() const { return region_bytes_; }
  /// Bytes of all values.
  uint64_t used_bytes() const { return used_bytes_; }
  /// Leased to the worker, but for its values.
  uint64_t leased_bytes(WorkerId worker) const;
  /// The same of all together.
  uint64_t leased_bytes() const;

 private:
  struct Lease {
    WorkerId worker;
    uint32_t number = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    std::map<uint64_t, uint64_t> sealed;  // offset to size
    uint32_t num_values = 0;              // sealed so far
  };
  struct Slab {
    uint64_t bytes = 0;
    ExtentAllocator free_space;     // a lease is an extent of it
    std::vector<Lease> leases;      // mostly one, of all of it
    std::vector<WorkerId> readers;  // workers with the region and no lease in it
    Lease* lease_at(uint64_t offset);
    bool is_leased_to(WorkerId worker) const;
  };

  static uint64_t unsealed_bytes(const Lease& lease);
  /// Throws StoreFullError for what would not fit into an empty store, before it is added to anything.
  void refuse_too_large(uint64_t bytes) const;
  [[noreturn]] void throw_full(uint64_t bytes) const;
  /// Ends leases until `attempt` succeeds, those without values first.
  bool with_leases_ended(const FunctionRef<bool()>& attempt);
  bool end_lease(uint32_t slab_id, Slab& slab, size_t lease);
  /// Ends a lease: what it has of the slab is free again, but for the values in it.
  static void dissolve(Slab& slab, size_t lease);
  std::optional<Extent> room_for(uint64_t bytes);
  std::optional<LeasedRoom> lease_empty_slab(WorkerId worker, uint64_t bytes);
  std::optional<LeasedRoom> lease_part(WorkerId worker, uint64_t bytes);
  LeasedRoom lease_at(WorkerId worker, uint32_t number, const Extent& extent);
  /// 0: it has as many leases as it may.
  uint32_t new_lease_number(WorkerId worker);
  /// If the region has room.
  std::optional<SlabId> add_slab(uint64_t region_bytes);
  std::optional<SlabId> add_slab_for(uint64_t bytes);
  void remove_slab(SlabId slab);
  /// Gives empty slabs back until `bytes` more fit; whether they do.
  bool make_room(uint64_t bytes);

  RegionHost& regions_;
  const uint64_t capacity_bytes_;
  uint64_t region_bytes_ = 0;
  uint64_t used_bytes_ = 0;
  uint32_t last_slab_ = 0;
  std::map<uint32_t, Slab> slabs_;
  std::unordered_map<uint32_t, uint32_t> last_lease_;  // of each worker
};

}  // namespace flowray::ray
