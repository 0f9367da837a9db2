#include "ray/store/store.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>

#include "ray/values/value.h"

namespace flowray::ray {
namespace {

constexpr uint64_t kSlabBytes = uint64_t{8} << 20;
/// Large values get regions of their own, of a multiple of this.
constexpr uint64_t kLargeStepBytes = uint64_t{2} << 20;

uint64_t slab_bytes_for(uint64_t value_bytes) {
  const uint64_t large = (value_bytes + kLargeStepBytes - 1) / kLargeStepBytes * kLargeStepBytes;
  return std::max(large, kSlabBytes);
}

}  // namespace

Store::Store(RegionHost& regions, uint64_t capacity_bytes)
    : regions_(regions), capacity_bytes_(capacity_bytes) {}

std::optional<Extent> Store::allocate_in(uint32_t slab_id, Slab& slab, uint64_t bytes) {
  const auto offset = slab.free_space->allocate(bytes);
  if (!offset) return std::nullopt;
  used_bytes_ += bytes;
  return Extent{{slab_id}, *offset, bytes};
}

Extent Store::allocate(uint64_t bytes) {
  refuse_too_large(bytes);
  for (auto& [id, slab] : slabs_) {
    if (slab.writer) continue;
    if (const auto extent = allocate_in(id, slab, bytes)) return *extent;
  }
  const SlabId added = add_slab(bytes, {});
  return *allocate_in(added.value, slabs_.at(added.value), bytes);
}

SlabId Store::lease(WorkerId worker, uint64_t bytes) {
  refuse_too_large(bytes);
  // An empty slab of the driver's is warm: its pages are there.
  for (auto& [id, slab] : slabs_) {
    if (slab.writer || slab.bytes < bytes || slab.free_space->bytes_in_use() > 0 ||
        slab.bytes > 4 * slab_bytes_for(bytes)) {
      continue;
    }
    slab.writer = worker;
    slab.free_space.reset();
    regions_.share({id}, worker, true);
    return {id};
  }
  const SlabId added = add_slab(bytes, worker);
  regions_.share(added, worker, true);
  return added;
}

void Store::seal(WorkerId worker, const Extent& extent) {
  const auto found = slabs_.find(extent.slab.value);
  const auto refuse = [&](const char* why) {
    throw errors::DataLossError(
        fmt::format("worker {} says that a value of {} bytes lies at {} of slab {}, which {}", worker.value,
                    extent.size_bytes, extent.offset, extent.slab.value, why));
  };
  if (found == slabs_.end()) refuse("does not exist");
  Slab& slab = found->second;
  if (slab.writer != worker) refuse("is not its to write");
  if (extent.offset > slab.bytes || extent.size_bytes > slab.bytes - extent.offset) refuse("is shorter");
  // take_back() relies on it: no two values share an aligned block.
  if (extent.offset % kArrayAlignment != 0 || extent.size_bytes == 0) {
    refuse("holds values at aligned offsets only, and none without bytes");
  }
  const auto next = slab.sealed.lower_bound(extent.offset);
  if (next != slab.sealed.end() && next->first < extent.offset + extent.size_bytes) {
    refuse("has another value there");
  }
  if (next != slab.sealed.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second > extent.offset) refuse("has another value there");
  }
  slab.sealed.emplace(extent.offset, extent.size_bytes);
  used_bytes_ += extent.size_bytes;
}

std::optional<WorkerId> Store::free(const Extent& extent) {
  Slab& slab = slabs_.at(extent.slab.value);
  used_bytes_ -= extent.size_bytes;
  if (slab.writer) {
    slab.sealed.erase(extent.offset);
    return slab.writer;
  }
  slab.free_space->free(extent.offset);
  return std::nullopt;
}

void Store::show(const Extent& extent, WorkerId worker) {
  Slab& slab = slabs_.at(extent.slab.value);
  if (slab.writer == worker || std::ranges::find(slab.readers, worker) != slab.readers.end()) return;
  slab.readers.push_back(worker);
  regions_.share(extent.slab, worker, false);
}

void Store::share_again(SlabId slab_id, WorkerId worker) {
  const auto found = slabs_.find(slab_id.value);
  if (found == slabs_.end()) return;
  const Slab& slab = found->second;
  const bool writes = slab.writer == worker;
  const bool reads = std::ranges::find(slab.readers, worker) != slab.readers.end();
  if (writes || reads) regions_.share(slab_id, worker, writes);
}

void Store::take_back(WorkerId worker) {
  for (auto& [id, slab] : slabs_) {
    std::erase(slab.readers, worker);
    if (slab.writer != worker) continue;
    std::vector<ExtentAllocator::Extent> live;
    for (const auto& [offset, bytes] : slab.sealed) live.push_back({offset, bytes});
    slab.free_space.emplace(slab.bytes, live);
    slab.sealed.clear();
    slab.writer = {};
  }
}

void Store::refuse_too_large(uint64_t bytes) const {
  if (bytes <= capacity_bytes_) return;
  throw errors::ResourceExhaustedError(
      fmt::format("The object store is too small: {} bytes are wanted at once, and it has {}.\n"
                  "Ask for more with Init's object_store_memory, or send the value in parts.",
                  bytes, capacity_bytes_));
}

SlabId Store::add_slab(uint64_t bytes, WorkerId writer) {
  const uint64_t region_bytes = slab_bytes_for(bytes);
  if (!make_room(region_bytes)) {
    throw errors::ResourceExhaustedError(fmt::format(
        "The object store is full: {} bytes are wanted, {} of its {} bytes are in use.\n"
        "Let go of ObjectRefs that are no longer needed, or ask for more with Init's object_store_memory.",
        bytes, used_bytes_, capacity_bytes_));
  }
  const SlabId id{last_slab_ + 1};
  regions_.create(id, region_bytes);
  ++last_slab_;
  region_bytes_ += region_bytes;
  Slab& slab = slabs_[id.value];
  slab.bytes = region_bytes;
  slab.writer = writer;
  if (!writer) slab.free_space.emplace(region_bytes);
  return id;
}

void Store::remove_slab(SlabId id) {
  region_bytes_ -= slabs_.at(id.value).bytes;
  slabs_.erase(id.value);
  regions_.destroy(id);
}

bool Store::make_room(uint64_t bytes) {
  std::vector<SlabId> empty;
  for (const auto& [id, slab] : slabs_) {
    if (!slab.writer && slab.free_space->bytes_in_use() == 0) empty.push_back({id});
  }
  while (region_bytes_ + bytes > capacity_bytes_ && !empty.empty()) {
    remove_slab(empty.back());
    empty.pop_back();
  }
  return region_bytes_ + bytes <= capacity_bytes_;
}

}  // namespace flowray::ray
