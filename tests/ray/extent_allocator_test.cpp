#include "ray/extent_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace flowray::ray {
namespace {

TEST(ExtentAllocator, TakesMultiplesOf64AndGivesThemBack) {
  ExtentAllocator extents(256);
  EXPECT_EQ(extents.allocate(1), 0u);
  EXPECT_EQ(extents.allocate(65), 64u);
  EXPECT_EQ(extents.bytes_in_use(), 192u);
  EXPECT_EQ(extents.allocate(65), std::nullopt);
  extents.free(0);
  EXPECT_EQ(extents.allocate(64), 0u);
}

TEST(ExtentAllocator, JoinsFreeNeighbours) {
  ExtentAllocator extents(192);
  for (int i = 0; i < 3; ++i) extents.allocate(64);
  extents.free(0);
  extents.free(128);
  EXPECT_EQ(extents.allocate(128), std::nullopt);
  extents.free(64);
  EXPECT_EQ(extents.allocate(192), 0u);
}

TEST(ExtentAllocator, GoesOnWithWhatLives) {
  const std::vector<ExtentAllocator::Extent> live{{64, 60}, {192, 64}};
  ExtentAllocator extents(320, live);
  EXPECT_EQ(extents.bytes_in_use(), 128u);
  EXPECT_EQ(extents.allocate(64), 0u);
  EXPECT_EQ(extents.allocate(64), 128u);
  EXPECT_EQ(extents.allocate(64), 256u);
  EXPECT_EQ(extents.allocate(1), std::nullopt);
}

TEST(ExtentAllocator, NeverHandsOutAByteTwice) {
  std::mt19937 random(1);
  ExtentAllocator extents(1 << 16);
  std::map<uint64_t, uint64_t> held;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 == 0 || held.empty()) {
      const uint64_t bytes = random() % 4000 + 1;
      const auto offset = extents.allocate(bytes);
      if (!offset) continue;
      ASSERT_LE(*offset + bytes, 1u << 16);
      const auto next = held.lower_bound(*offset);
      if (next != held.end()) {
        ASSERT_LE(*offset + bytes, next->first);
      }
      if (next != held.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, *offset);
      }
      held[*offset] = bytes;
    } else {
      const auto victim = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
      extents.free(victim->first);
      held.erase(victim);
    }
  }
  for (const auto& [offset, bytes] : held) extents.free(offset);
  EXPECT_EQ(extents.bytes_in_use(), 0u);
  EXPECT_EQ(extents.allocate(1 << 16), 0u);
}

}  // namespace
}  // namespace flowray::ray
