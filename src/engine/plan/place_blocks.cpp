#include "engine/plan/place_blocks.h"

#include "engine/plan/arena_planner.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace flowray::engine {
namespace {

/// At most so many blocks are also placed by size, to see whether that is better: the cost is their square.
constexpr size_t kMostBySize = 512;
/// At most so many pairs of a block and a room are looked at.
constexpr size_t kMostPairs = 1 << 16;

constexpr size_t kAlignment = 64;

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool meet(const Block& a, const Block& b) { return a.first <= b.last && b.first <= a.last; }

/// The numbers of `blocks`, the largest first; of equal ones the one that is needed for longer, then the
/// earlier one.
std::vector<uint32_t> by_size(std::span<const Block> blocks) {
  std::vector<uint32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    if (blocks[a].bytes != blocks[b].bytes) return blocks[a].bytes > blocks[b].bytes;
    return blocks[a].last > blocks[b].last;
  });
  return order;
}

/// One piece of memory while blocks are put into it in any order.
class Piece {
 public:
  explicit Piece(std::span<const Block> blocks) : blocks_(blocks) {}

  /// The lowest offset at which block `number` overlaps no live block.
  size_t lowest_offset(uint32_t number) const {
    const Block& block = blocks_[number];
    size_t offset = 0;
    for (const auto& [begin, other] : lying_) {
      if (!meet(block, blocks_[other])) continue;
      if (begin >= offset + rounded(block.bytes)) break;
      offset = std::max(offset, begin + rounded(blocks_[other].bytes));
    }
    return offset;
  }
  void put(uint32_t number, size_t offset) {
    const std::pair entry(offset, number);
    lying_.insert(std::ranges::upper_bound(lying_, entry), entry);
  }

 private:
  std::span<const Block> blocks_;
  std::vector<std::pair<size_t, uint32_t>> lying_;  // by offset
};

void lodge(std::span<const Block> blocks, std::span<const Room> rooms, std::vector<Place>& places) {
  std::vector<Piece> pieces(rooms.size(), Piece(blocks));
  size_t pairs = 0;
  for (const uint32_t number : by_size(blocks)) {
    const Block& block = blocks[number];
    if (!block.may_lodge || block.bytes == 0) continue;
    // The smallest of the rooms that it fits into.
    std::optional<uint32_t> best;
    for (uint32_t room = 0; room < rooms.size() && ++pairs < kMostPairs; ++room) {
      const bool fits = block.bytes <= rooms[room].bytes && block.first >= rooms[room].first &&
                        block.last <= rooms[room].last;
      if (!fits || (best.has_value() && rooms[*best].bytes <= rooms[room].bytes)) continue;
      const size_t offset = pieces[room].lowest_offset(number);
      if (offset + block.bytes > rooms[room].bytes) continue;
      best = room;
      places[number] = {room, offset};
    }
    if (best.has_value()) pieces[*best].put(number, places[number].offset);
  }
}

/// Calls `take` and `give_back` with the number of a block, in the order of the instructions: what
/// instruction i needs is taken before it gives back what it was the last to need.
template <class Take, class GiveBack>
void in_time(std::span<const Block> blocks, Take take, GiveBack give_back) {
  struct Event {
    int time;
    bool is_end;
    uint32_t number;
    auto operator<=>(const Event&) const = default;
  };
  std::vector<Event> events;
  events.reserve(2 * blocks.size());
  for (uint32_t number = 0; number < blocks.size(); ++number) {
    if (blocks[number].bytes == 0) continue;
    events.push_back({blocks[number].first, false, number});
    events.push_back({blocks[number].last, true, number});
  }
  std::ranges::sort(events);
  for (const Event& event : events) event.is_end ? give_back(event.number) : take(event.number);
}

Placement by_time(std::span<const Block> blocks) {
  Placement placed{std::vector<Place>(blocks.size()), 0};
  ArenaPlanner arena;
  in_time(
      blocks, [&](uint32_t number) { placed.places[number].offset = arena.allocate(blocks[number].bytes); },
      [&](uint32_t number) { arena.free(placed.places[number].offset, blocks[number].bytes); });
  placed.arena_bytes = arena.size_bytes();
  return placed;
}

Placement largest_first(std::span<const Block> blocks) {
  Placement placed{std::vector<Place>(blocks.size()), 0};
  Piece arena(blocks);
  for (const uint32_t number : by_size(blocks)) {
    if (blocks[number].bytes == 0) continue;
    const size_t offset = arena.lowest_offset(number);
    arena.put(number, offset);
    placed.places[number].offset = offset;
    placed.arena_bytes = std::max(placed.arena_bytes, offset + blocks[number].bytes);
  }
  return placed;
}

}  // namespace

LargestMoment largest_moment(std::span<const Block> blocks) {
  size_t live = 0;
  LargestMoment largest;
  in_time(
      blocks,
      [&](uint32_t number) {
        live += blocks[number].bytes;
        if (live > largest.bytes) largest = {blocks[number].first, live};
      },
      [&](uint32_t number) { live -= blocks[number].bytes; });
  return largest;
}

Placement place_blocks(std::span<const Block> blocks, std::span<const Room> rooms) {
  std::vector<Place> places(blocks.size());
  if (!rooms.empty()) lodge(blocks, rooms, places);
  std::vector<Block> left(blocks.begin(), blocks.end());
  for (size_t number = 0; number < blocks.size(); ++number) {
    if (places[number].room != kInArena) left[number].bytes = 0;
  }
  Placement placed = by_time(left);
  if (left.size() <= kMostBySize && placed.arena_bytes > most_live_bytes(left)) {
    if (Placement other = largest_first(left); other.arena_bytes < placed.arena_bytes)
      placed = std::move(other);
  }
  for (size_t number = 0; number < blocks.size(); ++number) {
    if (places[number].room != kInArena) placed.places[number] = places[number];
  }
  return placed;
}

}  // namespace flowray::engine
