#include "ray/store/store.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ray/values/value.h"

namespace flowray::ray {
namespace {

constexpr uint64_t kSlabBytes = kLeastStoreBytes;
/// Large values get regions of their own, of a multiple of this.
constexpr uint64_t kLargeStepBytes = uint64_t{2} << 20;
/// The same where room is scarce.
constexpr uint64_t kSmallStepBytes = 4096;

uint64_t rounded_up(uint64_t bytes, uint64_t step) { return (bytes + step - 1) / step * step; }

uint64_t slab_bytes_for(uint64_t value_bytes) {
  return std::max(rounded_up(value_bytes, kLargeStepBytes), kSlabBytes);
}

}  // namespace

uint64_t most_region_bytes_for(uint64_t value_bytes) { return 4 * slab_bytes_for(value_bytes); }

Store::Store(RegionHost& regions, uint64_t capacity_bytes)
    : regions_(regions), capacity_bytes_(capacity_bytes) {}

Store::Lease* Store::Slab::lease_at(uint64_t offset) {
  const auto has_it = [offset](const Lease& lease) {
    return offset >= lease.offset && offset - lease.offset < lease.bytes;
  };
  const auto found = std::ranges::find_if(leases, has_it);
  return found == leases.end() ? nullptr : &*found;
}

bool Store::Slab::is_leased_to(WorkerId worker) const {
  return std::ranges::find(leases, worker, &Lease::worker) != leases.end();
}

// ---- room

Extent Store::allocate(uint64_t bytes) {
  refuse_too_large(bytes);
  std::optional<Extent> extent;
  const auto attempt = [&] {
    extent = room_for(bytes);
    if (!extent && add_slab_for(bytes)) extent = room_for(bytes);
    return extent.has_value();
  };
  if (!attempt() && !with_leases_ended(attempt)) throw_full(bytes);
  used_bytes_ += bytes;
  return *extent;
}

LeasedRoom Store::lease(WorkerId worker, uint64_t bytes) {
  refuse_too_large(bytes);
  std::optional<LeasedRoom> room = lease_empty_slab(worker, bytes);
  if (room) return *room;
  const auto attempt = [&] {
    if (add_slab_for(bytes)) room = lease_empty_slab(worker, bytes);
    if (!room) room = lease_part(worker, bytes);
    return room.has_value();
  };
  if (!attempt() && !with_leases_ended(attempt)) throw_full(bytes);
  return *room;
}

std::optional<Extent> Store::room_for(uint64_t bytes) {
  for (auto& [id, slab] : slabs_) {
    if (const auto offset = slab.free_space.allocate(bytes)) return Extent{{id}, *offset, bytes};
  }
  return std::nullopt;
}

/// Takes an empty slab that is there rather than a new one: its pages are mapped and warm.
std::optional<LeasedRoom> Store::lease_empty_slab(WorkerId worker, uint64_t bytes) {
  for (auto& [id, slab] : slabs_) {
    if (slab.bytes < bytes || !slab.free_space.empty() || slab.bytes > most_region_bytes_for(bytes)) continue;
    const uint32_t number = new_lease_number(worker);
    if (number == 0) return std::nullopt;
    return lease_at(worker, number, {{id}, *slab.free_space.allocate(slab.bytes), slab.bytes});
  }
  return std::nullopt;
}

std::optional<LeasedRoom> Store::lease_part(WorkerId worker, uint64_t bytes) {
  const uint32_t number = new_lease_number(worker);
  if (number == 0) return std::nullopt;
  const auto extent = room_for(rounded_up(std::max<uint64_t>(bytes, 1), ExtentAllocator::kAlignment));
  if (!extent) return std::nullopt;
  return lease_at(worker, number, *extent);
}

LeasedRoom Store::lease_at(WorkerId worker, uint32_t number, const Extent& extent) {
  Slab& slab = slabs_.at(extent.slab.value);
  if (!slab.is_leased_to(worker)) {
    std::erase(slab.readers, worker);
    regions_.share(extent.slab, worker, true);
  }
  slab.leases.push_back({worker, number, extent.offset, extent.size_bytes, {}});
  last_lease_[worker.value] = number;
  regions_.open_lease(worker, number);
  return {extent.slab, number, extent.offset, extent.size_bytes};
}

uint32_t Store::new_lease_number(WorkerId worker) {
  std::set<uint32_t> taken;  // words, of the leases that hold
  for (const auto& [id, slab] : slabs_) {
    for (const Lease& lease : slab.leases) {
      if (lease.worker == worker) taken.insert(lease.number % kMostLeases);
    }
  }
  if (taken.size() >= kMostLeases) return 0;
  uint32_t number = last_lease_[worker.value] + 1;
  while (number == 0 || taken.contains(number % kMostLeases)) ++number;
  return number;
}

bool Store::with_leases_ended(const FunctionRef<bool()>& attempt) {
  for (const bool with_values : {false, true}) {
    std::vector<uint32_t> ids;  // as attempts may remove slabs
    for (const auto& [id, slab] : slabs_) ids.push_back(id);
    for (const uint32_t id : ids) {
      const auto found = slabs_.find(id);
      if (found == slabs_.end()) continue;
      bool any = false;
      for (size_t i = found->second.leases.size(); i-- > 0;) {
        if (with_values || found->second.leases[i].sealed.empty()) any |= end_lease(id, found->second, i);
      }
      if (any && attempt()) return true;
    }
  }
  return false;
}

bool Store::end_lease(uint32_t slab_id, Slab& slab, size_t at) {
  const Lease& lease = slab.leases[at];
  const WorkerId worker = lease.worker;
  if (!regions_.end_lease(worker, lease.number, lease.num_values)) return false;
  dissolve(slab, at);
  if (!slab.is_leased_to(worker)) regions_.unshare({slab_id}, worker);
  return true;
}

void Store::dissolve(Slab& slab, size_t at) {
  const Lease lease = std::move(slab.leases[at]);
  slab.leases.erase(slab.leases.begin() + static_cast<ptrdiff_t>(at));
  slab.free_space.free(lease.offset);
  for (const auto& [offset, bytes] : lease.sealed) slab.free_space.take({offset, bytes});
}

// ---- values

void Store::seal(WorkerId worker, const Extent& extent) {
  const auto found = slabs_.find(extent.slab.value);
  const auto refuse = [&](const char* why) {
    throw errors::DataLossError(
        fmt::format("worker {} says that a value of {} bytes lies at {} of slab {}, which {}", worker.value,
                    extent.size_bytes, extent.offset, extent.slab.value, why));
  };
  if (found == slabs_.end()) refuse("does not exist");
  if (!found->second.is_leased_to(worker)) refuse("is not its to write");
  Lease* const lease = found->second.lease_at(extent.offset);
  if (lease == nullptr) refuse("is shorter");
  if (lease->worker != worker) refuse("is not its to write");
  if (extent.size_bytes > lease->bytes - (extent.offset - lease->offset)) refuse("is shorter");
  // dissolve() relies on it: no two values share an aligned block.
  if (extent.offset % kArrayAlignment != 0 || extent.size_bytes == 0) {
    refuse("holds values at aligned offsets only, and none without bytes");
  }
  const auto next = lease->sealed.lower_bound(extent.offset);
  if (next != lease->sealed.end() && next->first < extent.offset + extent.size_bytes) {
    refuse("has another value there");
  }
  if (next != lease->sealed.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second > extent.offset) refuse("has another value there");
  }
  lease->sealed.emplace(extent.offset, extent.size_bytes);
  ++lease->num_values;
  used_bytes_ += extent.size_bytes;
}

std::optional<WorkerId> Store::free(const Extent& extent) {
  Slab& slab = slabs_.at(extent.slab.value);
  used_bytes_ -= extent.size_bytes;
  if (Lease* const lease = slab.lease_at(extent.offset)) {
    lease->sealed.erase(extent.offset);
    return lease->worker;
  }
  slab.free_space.free(extent.offset);
  return std::nullopt;
}

void Store::show(const Extent& extent, WorkerId worker) {
  Slab& slab = slabs_.at(extent.slab.value);
  if (slab.is_leased_to(worker) || std::ranges::find(slab.readers, worker) != slab.readers.end()) return;
  slab.readers.push_back(worker);
  regions_.share(extent.slab, worker, false);
}

void Store::share_again(SlabId slab_id, WorkerId worker) {
  const auto found = slabs_.find(slab_id.value);
  if (found == slabs_.end()) return;
  const Slab& slab = found->second;
  const bool writes = slab.is_leased_to(worker);
  const bool reads = std::ranges::find(slab.readers, worker) != slab.readers.end();
  if (writes || reads) regions_.share(slab_id, worker, writes);
}

void Store::take_back(WorkerId worker) {
  for (auto& [id, slab] : slabs_) {
    std::erase(slab.readers, worker);
    for (size_t i = slab.leases.size(); i-- > 0;) {
      if (slab.leases[i].worker == worker) dissolve(slab, i);
    }
  }
  last_lease_.erase(worker.value);
}

uint64_t Store::unsealed_bytes(const Lease& lease) {
  uint64_t bytes = lease.bytes;
  for (const auto& [offset, sealed] : lease.sealed) bytes -= sealed;
  return bytes;
}

uint64_t Store::leased_bytes(WorkerId worker) const {
  uint64_t bytes = 0;
  for (const auto& [id, slab] : slabs_) {
    for (const Lease& lease : slab.leases) {
      if (lease.worker == worker) bytes += unsealed_bytes(lease);
    }
  }
  return bytes;
}

uint64_t Store::leased_bytes() const {
  uint64_t bytes = 0;
  for (const auto& [id, slab] : slabs_) {
    for (const Lease& lease : slab.leases) bytes += unsealed_bytes(lease);
  }
  return bytes;
}

// ---- slabs

void Store::refuse_too_large(uint64_t bytes) const {
  if (bytes <= capacity_bytes_) return;
  throw StoreFullError(
      fmt::format("The object store is too small: {} bytes are wanted at once, and it has {}.\n"
                  "Ask for more with Init's object_store_memory, or send the value in parts.",
                  bytes, capacity_bytes_));
}

void Store::throw_full(uint64_t bytes) const {
  throw StoreFullError(
      fmt::format("The object store is full: {} bytes are wanted, {} of its {} bytes are in use.\n"
                  "Let go of ObjectRefs and arrays that are no longer needed, or ask for more with Init's "
                  "object_store_memory.",
                  bytes, used_bytes_, capacity_bytes_));
}

std::optional<SlabId> Store::add_slab_for(uint64_t bytes) {
  if (const auto added = add_slab(slab_bytes_for(bytes))) return added;
  return add_slab(rounded_up(bytes, kSmallStepBytes));
}

std::optional<SlabId> Store::add_slab(uint64_t region_bytes) {
  if (!make_room(region_bytes)) return std::nullopt;
  const SlabId id{last_slab_ + 1};
  regions_.create(id, region_bytes);
  ++last_slab_;
  region_bytes_ += region_bytes;
  slabs_.emplace(id.value, Slab{region_bytes, ExtentAllocator(region_bytes), {}, {}});
  return id;
}

void Store::remove_slab(SlabId id) {
  region_bytes_ -= slabs_.at(id.value).bytes;
  slabs_.erase(id.value);
  regions_.destroy(id);
}

bool Store::make_room(uint64_t bytes) {
  std::vector<SlabId> empty;
  uint64_t empty_bytes = 0;
  for (const auto& [id, slab] : slabs_) {
    if (!slab.free_space.empty()) continue;
    empty.push_back({id});
    empty_bytes += slab.bytes;
  }
  // Empty slabs are given up only where that makes enough room: their pages are warm.
  if (region_bytes_ - empty_bytes + bytes > capacity_bytes_) return false;
  while (region_bytes_ + bytes > capacity_bytes_) {
    remove_slab(empty.back());
    empty.pop_back();
  }
  return true;
}

}  // namespace flowray::ray
