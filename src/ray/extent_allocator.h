#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>

namespace flowray::ray {

/// Which parts of a region are taken: extents of multiples of 64 bytes, aligned to 64. Of the free parts the first that is
/// long enough is taken, so that memory that was used before (and is warm) is used again. Knows no bytes; not thread-safe.
class ExtentAllocator {
 public:
  struct Extent {
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
  };

  /// All of [0, bytes) is free.
  explicit ExtentAllocator(uint64_t bytes) { free_[0] = bytes / kAlignment * kAlignment; }
  /// The same but for `live`, which do not overlap.
  ExtentAllocator(uint64_t bytes, std::span<const Extent> live) : ExtentAllocator(bytes) {
    for (const Extent& extent : live) take(std::prev(free_.upper_bound(extent.offset)), extent.offset, rounded(extent.size_bytes));
  }

  /// The offset of `bytes` that were free; none if no free part is long enough.
  std::optional<uint64_t> allocate(uint64_t bytes) {
    const uint64_t wanted = rounded(bytes);
    for (auto part = free_.begin(); part != free_.end(); ++part) {
      if (part->second < wanted) continue;
      const uint64_t offset = part->first;
      take(part, offset, wanted);
      return offset;
    }
    return std::nullopt;
  }

  /// `offset` is one that allocate gave, or of a live extent.
  void free(uint64_t offset) {
    const auto taken = taken_.find(offset);
    uint64_t bytes = taken->second;
    taken_.erase(taken);
    bytes_in_use_ -= bytes;
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free_[offset] = bytes;
  }

  uint64_t bytes_in_use() const { return bytes_in_use_; }

 private:
  using Parts = std::map<uint64_t, uint64_t>;  // offset to length, of which no two touch
  static constexpr uint64_t kAlignment = 64;
  static uint64_t rounded(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  /// Takes [offset, offset + bytes) out of the free part that holds it.
  void take(Parts::iterator part, uint64_t offset, uint64_t bytes) {
    const uint64_t begin = part->first;
    const uint64_t end = begin + part->second;
    free_.erase(part);
    if (begin < offset) free_[begin] = offset - begin;
    if (offset + bytes < end) free_[offset + bytes] = end - offset - bytes;
    taken_[offset] = bytes;
    bytes_in_use_ += bytes;
  }

  Parts free_;
  Parts taken_;
  uint64_t bytes_in_use_ = 0;
};

}  // namespace flowray::ray
