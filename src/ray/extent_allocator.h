#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>
namespace flowray::ray {
class ExtentAllocator {
 public:
  struct Extent { uint64_t offset; uint64_t size_bytes; };
  explicit ExtentAllocator(uint64_t bytes) { free_[0] = bytes & ~uint64_t{63}; }
  ExtentAllocator(uint64_t bytes, std::span<const Extent> live) : ExtentAllocator(bytes) {
    for (auto e : live) {
      uint64_t need = (e.size_bytes + 63) & ~uint64_t{63};
      auto it = std::prev(free_.upper_bound(e.offset));
      uint64_t o = it->first, n = it->second; free_.erase(it);
      if (e.offset > o) free_[o] = e.offset - o;
      if (e.offset + need < o + n) free_[e.offset + need] = o + n - e.offset - need;
      used_[e.offset] = need; in_use_ += need;
    }
  }
  std::optional<uint64_t> allocate(uint64_t bytes) {
    bytes = (bytes + 63) & ~uint64_t{63};
    for (auto it = free_.begin(); it != free_.end(); ++it) if (it->second >= bytes) {
      uint64_t o = it->first, n = it->second; free_.erase(it);
      if (n > bytes) free_[o + bytes] = n - bytes;
      used_[o] = bytes; in_use_ += bytes; return o;
    }
    return std::nullopt;
  }
  void free(uint64_t offset) {
    auto u = used_.find(offset); uint64_t n = u->second; used_.erase(u); in_use_ -= n;
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + n) { n += next->second; next = free_.erase(next); }
    if (next != free_.begin()) { auto p = std::prev(next); if (p->first + p->second == offset) { p->second += n; return; } }
    free_[offset] = n;
  }
  uint64_t bytes_in_use() const { return in_use_; }
 private:
  std::map<uint64_t, uint64_t> free_, used_; uint64_t in_use_ = 0;
};
}
