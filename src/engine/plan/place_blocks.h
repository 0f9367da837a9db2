#pragma once
/// Where blocks of memory lie that are needed for a part of a list of instructions each.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flowray::engine {

/// Memory that is needed from instruction `first` to instruction `last`, both included.
struct Block {
  size_t bytes = 0;
  int first = 0;
  int last = 0;
  /// Whether it may lie in a room; else it lies in the arena.
  bool may_lodge = true;
};

/// Memory that is there in any case and free from instruction `first` to instruction `last`:
/// that of a result which is written later.
struct Room {
  size_t bytes = 0;
  int last = -1;
  int first = 0;
};

inline constexpr uint32_t kInArena = ~uint32_t{0};

struct Place {
  uint32_t room = kInArena;
  size_t offset = 0;  // a multiple of 64
};

struct Placement {
  std::vector<Place> places;  // as the blocks
  size_t arena_bytes = 0;
};

/// Blocks whose times meet get no byte in common. The largest ones find a room first, the rest shares
/// the arena.
Placement place_blocks(std::span<const Block> blocks, std::span<const Room> rooms);

/// When most bytes are needed, and how many: no arena can be smaller.
struct LargestMoment {
  int instruction = 0;
  size_t bytes = 0;
};
LargestMoment largest_moment(std::span<const Block> blocks);
inline size_t most_live_bytes(std::span<const Block> blocks) { return largest_moment(blocks).bytes; }

}  // namespace flowray::engine
