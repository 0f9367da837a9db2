#pragma once
/// Gives blocks of one arena to values whose lifetimes do not overlap.

#include <cstddef>
#include <map>

namespace flowray::engine {

/// Best fit over free ranges, 64-byte aligned; the arena's size is the highest end of what was ever
/// asked for.
class ArenaPlanner {
 public:
  /// Offset of a block of at least `bytes`.
  size_t allocate(size_t bytes);
  /// Gives back a block that allocate() returned for the same `bytes`.
  void free(size_t offset, size_t bytes);
  size_t size_bytes() const { return size_; }

 private:
  static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }
  std::map<size_t, size_t> free_;  // offset -> bytes; neighbours are always joined
  size_t end_ = 0;                 // rounded
  size_t size_ = 0;                // not rounded
};

}  // namespace flowray::engine
