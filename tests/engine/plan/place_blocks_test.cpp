#include "engine/plan/place_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace flowray::engine {
namespace {

TEST(PlaceBlocks, GivesMemoryAgainToWhatComesLater) {
  const std::vector<Block> blocks{{100, 0, 1}, {200, 1, 2}, {90, 2, 3}};
  const Placement placed = place_blocks(blocks, {});
  EXPECT_EQ(placed.places[2].offset, placed.places[0].offset);
  EXPECT_EQ(placed.arena_bytes, 128u + 200u);
}

/// By turns: 3 large ones that overlap like tiles need no more than two of them at once, whatever
/// lies between.
TEST(PlaceBlocks, PlacesBySizeWhereTheOrderInTimeLeavesHoles) {
  // In time order the small one lies behind the first large one and keeps the third from growing over both.
  const std::vector<Block> blocks{{640, 0, 1}, {64, 1, 4}, {704, 2, 3}};
  EXPECT_EQ(largest_moment(blocks).bytes, 704u + 64u);
  EXPECT_EQ(place_blocks(blocks, {}).arena_bytes, 704u + 64u);
}

TEST(PlaceBlocks, TellsTheLargestMoment) {
  const std::vector<Block> blocks{{10, 0, 2}, {20, 1, 1}, {15, 2, 3}, {0, 0, 9}};
  const LargestMoment largest = largest_moment(blocks);
  EXPECT_EQ(largest.instruction, 1);
  EXPECT_EQ(largest.bytes, 30u);
}

TEST(PlaceBlocks, LodgesInAResultUntilItIsWritten) {
  const std::vector<Room> rooms{{.bytes = 100, .last = 2}};
  const std::vector<Block> blocks{{100, 0, 2}, {100, 0, 3}, {101, 1, 1}, {50, 1, 2, false}};
  const Placement placed = place_blocks(blocks, rooms);
  EXPECT_EQ(placed.places[0].room, 0u);
  EXPECT_EQ(placed.places[1].room, kInArena);  // needed too late
  EXPECT_EQ(placed.places[2].room, kInArena);  // too large
  EXPECT_EQ(placed.places[3].room, kInArena);  // may not
}

/// A chain of products, each needed by the next: the room takes every other one, so one is left to the arena.
TEST(PlaceBlocks, LodgesAfterThoseWhoHaveTheRoomBefore) {
  const std::vector<Room> rooms{{.bytes = 100, .last = 4, .first = 2}};
  const std::vector<Block> blocks{{100, 1, 2}, {90, 2, 4}};
  const Placement placed = place_blocks(blocks, rooms);
  EXPECT_EQ(placed.places[0].room, kInArena);
  EXPECT_EQ(placed.places[1].room, 0u);
}

TEST(PlaceBlocks, LodgesThoseThatLeaveLeastBehind) {
  std::vector<Block> chain;
  for (int i = 0; i < 9; ++i) chain.push_back({640, i, i + 1});
  const std::vector<Room> rooms{{640, 8}};
  EXPECT_EQ(place_blocks(chain, rooms).arena_bytes, 640u);
}

TEST(PlaceBlocks, NeverGivesTwoTheSameByteAtATime) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Block> blocks;
    for (int i = 0; i < 40; ++i) {
      const int first = static_cast<int>(random() % 30);
      blocks.push_back({random() % 1000, first, first + static_cast<int>(random() % 8), random() % 4 != 0});
    }
    std::vector<Room> rooms;
    for (int i = 0; i < 4; ++i) rooms.push_back({random() % 1500, static_cast<int>(random() % 30)});
    const Placement placed = place_blocks(blocks, rooms);
    for (size_t a = 0; a < blocks.size(); ++a) {
      const auto [room, offset] = placed.places[a];
      EXPECT_EQ(offset % 64, 0u);
      EXPECT_LE(offset + blocks[a].bytes, room == kInArena ? placed.arena_bytes : rooms[room].bytes);
      if (room != kInArena) {
        EXPECT_TRUE(blocks[a].may_lodge);
        EXPECT_LE(blocks[a].last, rooms[room].last);
      }
      for (size_t b = 0; b < a; ++b) {
        const bool at_once = blocks[a].first <= blocks[b].last && blocks[b].first <= blocks[a].last;
        if (!at_once || placed.places[b].room != room) continue;
        EXPECT_TRUE(offset + blocks[a].bytes <= placed.places[b].offset ||
                    placed.places[b].offset + blocks[b].bytes <= offset);
      }
    }
  }
}

}  // namespace
}  // namespace flowray::engine
