#include "engine/plan/arena_planner.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flowray::engine {
namespace {

TEST(ArenaPlanner, GivesDisjointAlignedBlocks) {
  ArenaPlanner arena;
  EXPECT_EQ(arena.allocate(4), 0u);
  EXPECT_EQ(arena.allocate(100), 64u);
  EXPECT_EQ(arena.allocate(1), 192u);
  EXPECT_EQ(arena.size_bytes(), 193u);  // what comes behind the last block is nobody's
}

TEST(ArenaPlanner, TakesTheSmallestRangeThatFits) {
  ArenaPlanner arena;
  const size_t large = arena.allocate(640);
  (void)arena.allocate(64);
  const size_t small = arena.allocate(128);
  (void)arena.allocate(64);
  arena.free(large, 640);
  arena.free(small, 128);
  EXPECT_EQ(arena.allocate(128), small);
  EXPECT_EQ(arena.allocate(64), large);
}

TEST(ArenaPlanner, JoinsNeighboursThatAreFreed) {
  ArenaPlanner arena;
  const size_t a = arena.allocate(64);
  const size_t b = arena.allocate(64);
  const size_t c = arena.allocate(64);
  (void)arena.allocate(64);
  arena.free(a, 64);
  arena.free(c, 64);
  arena.free(b, 64);
  EXPECT_EQ(arena.allocate(192), a);
  EXPECT_EQ(arena.size_bytes(), 256u);
}

TEST(ArenaPlanner, GrowsAFreeRangeAtTheEnd) {
  ArenaPlanner arena;
  (void)arena.allocate(64);
  const size_t last = arena.allocate(64);
  arena.free(last, 64);
  EXPECT_EQ(arena.allocate(256), last);
  EXPECT_EQ(arena.size_bytes(), 320u);
}

TEST(ArenaPlanner, NeverOverlapsLiveBlocks) {
  std::mt19937 random(7);
  ArenaPlanner arena;
  struct Block {
    size_t offset;
    size_t bytes;
  };
  std::vector<Block> live;
  for (int round = 0; round < 5000; ++round) {
    if (!live.empty() && random() % 2 == 0) {
      const size_t i = random() % live.size();
      arena.free(live[i].offset, live[i].bytes);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const size_t bytes = 1 + random() % 1000;
    const Block block{arena.allocate(bytes), bytes};
    for (const Block& other : live) {
      EXPECT_TRUE(block.offset + block.bytes <= other.offset || other.offset + other.bytes <= block.offset);
    }
    live.push_back(block);
  }
}

}  // namespace
}  // namespace flowray::engine
