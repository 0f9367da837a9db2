#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

namespace flowray::ray {

/// Which parts of a range of bytes hold values: numbers only, it never touches the bytes.
/// Not thread-safe.
///
/// Best fit, and of equally good places the one that was freed last, because its pages are most likely still
/// in the caches; neighbours that are free become one. A call takes O(log n), n being the free pieces.
class ExtentAllocator {
 public:
  struct Extent {
    uint64_t offset;
    uint64_t size_bytes;
  };
  static constexpr uint64_t kAlignment = 64;
  /// Extents of at least kLargeBytes begin at a multiple of a page.
  static constexpr uint64_t kLargeAlignment = 4096;
  static constexpr uint64_t kLargeBytes = uint64_t{64} << 10;

  /// All of [0, bytes) is free; what is beyond the last multiple of 64 is never used.
  explicit ExtentAllocator(uint64_t bytes);
  /// The same with some extents in use, as by take().
  ExtentAllocator(uint64_t bytes, std::span<const Extent> live);

  /// Offset of `bytes` (rounded up to 64, at least 64), or nothing if no free piece is large enough.
  std::optional<uint64_t> allocate(uint64_t bytes);
  /// Marks as in use an extent that another allocator gave. Throws errors::DataLossError if it overlaps
  /// another one, is not aligned or does not lie in the range.
  void take(const Extent& extent);
  /// Throws errors::InvalidArgumentError if no extent begins there.
  void free(uint64_t offset);
  /// Bytes of the extents in use, each rounded up.
  uint64_t bytes_in_use() const noexcept { return in_use_; }
  bool empty() const noexcept { return in_use_ == 0; }

 private:
  struct Piece {
    uint64_t size = 0;
    uint64_t freed_at = 0;     // count of frees when something of it was freed last
    bool warm_at_end = false;  // what was freed last lies at its end
  };
  using Pieces = std::map<uint64_t, Piece>;  // by offset

  // The order in which places are taken: the smallest, then the one freed last.
  struct Choice {
    uint64_t size;
    uint64_t freed_at;
    uint64_t offset;
    bool operator<(const Choice& other) const noexcept;
  };

  void add_piece(uint64_t offset, const Piece& piece);
  Pieces::iterator remove_piece(Pieces::iterator piece);
  /// Takes [offset, offset + size) out of a free piece that has it.
  void take(Pieces::iterator piece, uint64_t offset, uint64_t size);
  std::optional<uint64_t> place_in(Pieces::const_iterator piece, uint64_t size) const;

  Pieces pieces_;
  std::set<Choice> choices_;
  std::unordered_map<uint64_t, uint64_t> live_;  // offset to size
  uint64_t range_ = 0;
  uint64_t in_use_ = 0;
  uint64_t frees_ = 0;
};

}  // namespace flowray::ray
