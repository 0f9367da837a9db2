#include "ray/store/extent_allocator.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flowray::ray {
namespace {

using Extent = ExtentAllocator::Extent;

TEST(ExtentAllocator, GivesMultiplesOf64AndAlignsLargeOnesToPages) {
  ExtentAllocator allocator(1 << 20);
  EXPECT_EQ(allocator.allocate(1), 0u);
  EXPECT_EQ(allocator.allocate(64), 64u);
  EXPECT_EQ(allocator.allocate(65), 128u);
  EXPECT_EQ(allocator.allocate(0), 256u);
  EXPECT_EQ(allocator.bytes_in_use(), 64u + 64 + 128 + 64);
  EXPECT_EQ(allocator.allocate(64 << 10), 4096u);
  EXPECT_EQ(allocator.allocate(10), 320u);
}

TEST(ExtentAllocator, GivesNothingThatDoesNotFit) {
  ExtentAllocator allocator(1000);  // 960 of them
  EXPECT_EQ(allocator.allocate(961), std::nullopt);
  EXPECT_EQ(allocator.allocate(~uint64_t{0}), std::nullopt);
  EXPECT_EQ(allocator.allocate(960), 0u);
  EXPECT_EQ(allocator.allocate(0), std::nullopt);
  allocator.free(0);
  EXPECT_TRUE(allocator.empty());
  EXPECT_EQ(allocator.allocate(960), 0u);
  EXPECT_EQ(ExtentAllocator(63).allocate(1), std::nullopt);
}

TEST(ExtentAllocator, TakesTheSmallestPlaceAndOfEqualOnesTheOneFreedLast) {
  ExtentAllocator allocator(64 * 100);
  std::vector<uint64_t> extents;
  for (const uint64_t size : {3, 1, 2, 1, 2, 1, 2, 1}) extents.push_back(*allocator.allocate(64 * size));
  allocator.free(extents[0]);  // 3
  allocator.free(extents[6]);  // 2
  allocator.free(extents[2]);  // 2
  allocator.free(extents[4]);  // 2
  EXPECT_EQ(allocator.allocate(128), extents[4]);
  EXPECT_EQ(allocator.allocate(128), extents[2]);
  EXPECT_EQ(allocator.allocate(192), extents[0]);
  EXPECT_EQ(allocator.allocate(128), extents[6]);
}

TEST(ExtentAllocator, GivesTheBytesFreedLastAgainThoughTheirNeighbourIsFreeToo) {
  ExtentAllocator allocator(64 * 10);
  const uint64_t first = *allocator.allocate(128);
  const uint64_t second = *allocator.allocate(128);
  const uint64_t third = *allocator.allocate(64 * 6);
  allocator.free(first);
  allocator.free(second);  // behind a free piece, before a live one
  EXPECT_EQ(allocator.allocate(128), second);
  EXPECT_EQ(allocator.allocate(128), first);
  allocator.free(third);  // at the end
  EXPECT_EQ(allocator.allocate(64 * 6), third);
}

TEST(ExtentAllocator, MakesOnePieceOfFreeNeighbours) {
  ExtentAllocator allocator(64 * 3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(allocator.allocate(64));
  allocator.free(0);
  allocator.free(128);
  EXPECT_EQ(allocator.allocate(128), std::nullopt);
  allocator.free(64);
  EXPECT_EQ(allocator.allocate(192), 0u);
}

TEST(ExtentAllocator, GoesOnFromAListOfLiveExtents) {
  const std::vector<Extent> live = {{256, 100}, {0, 64}};
  ExtentAllocator allocator(64 * 8, live);
  EXPECT_EQ(allocator.bytes_in_use(), 192u);
  EXPECT_EQ(allocator.allocate(192), 64u);
  EXPECT_EQ(allocator.allocate(128), 384u);
  EXPECT_EQ(allocator.allocate(64), std::nullopt);
  allocator.free(256);
  EXPECT_EQ(allocator.allocate(128), 256u);
}

TEST(ExtentAllocator, RefusesListsThatNoAllocatorMade) {
  const auto rebuild = [](std::vector<Extent> live) { ExtentAllocator(64 * 8, live); };
  EXPECT_NO_THROW(rebuild({{0, 64 * 8}}));
  EXPECT_THROW(rebuild({{0, 128}, {64, 64}}), errors::DataLossError);
  EXPECT_THROW(rebuild({{64, 64}, {0, 128}}), errors::DataLossError);
  EXPECT_THROW(rebuild({{10, 64}}), errors::DataLossError);
  EXPECT_THROW(rebuild({{64 * 8, 64}}), errors::DataLossError);
  EXPECT_THROW(rebuild({{64 * 7, 65}}), errors::DataLossError);
  EXPECT_THROW(rebuild({{~uint64_t{63}, 128}}), errors::DataLossError);
  EXPECT_THROW(rebuild({{0, ~uint64_t{0}}}), errors::DataLossError);
}

TEST(ExtentAllocator, RefusesToFreeTwice) {
  ExtentAllocator allocator(1024);
  ASSERT_EQ(allocator.allocate(100), 0u);
  EXPECT_THROW(allocator.free(64), errors::InvalidArgumentError);
  allocator.free(0);
  EXPECT_THROW(allocator.free(0), errors::InvalidArgumentError);
}

/// Units of 64 bytes, each used or not.
class Model {
 public:
  explicit Model(uint64_t bytes) : used_(bytes / 64) {}
  bool set(uint64_t offset, uint64_t size, bool used) {
    for (uint64_t unit = offset / 64; unit < (offset + size) / 64; ++unit) {
      if (unit >= used_.size() || used_[unit] == used) return false;
      used_[unit] = used;
    }
    return true;
  }
  bool fits(uint64_t size) const {
    const uint64_t step = size >= (64 << 10) ? 4096 / 64 : 1;
    for (uint64_t begin = 0; begin + size / 64 <= used_.size(); begin += step) {
      uint64_t unit = begin;
      while (unit < begin + size / 64 && !used_[unit]) ++unit;
      if (unit == begin + size / 64) return true;
    }
    return false;
  }

 private:
  std::vector<bool> used_;
};

TEST(ExtentAllocator, AgreesWithANaiveModelOnRandomCalls) {
  constexpr uint64_t kBytes = 600 << 10;
  for (uint32_t round = 0; round < 20; ++round) {
    std::mt19937 random(round);
    ExtentAllocator allocator(kBytes);
    Model model(kBytes);
    std::vector<Extent> live;
    uint64_t in_use = 0;
    for (int step = 0; step < 1000; ++step) {
      if (random() % 5 < 3 || live.empty()) {
        const uint64_t size = (1 + random() % (random() % 8 == 0 ? 2000 : 50)) * 64;
        const auto offset = allocator.allocate(size - random() % 64);
        if (!offset) {
          // The naive model may say that it fits only if a piece could be placed otherwise: then the
          // allocator must be wrong.
          ASSERT_FALSE(model.fits(size))
              << "round " << round << ", step " << step << ", " << size << " bytes";
          continue;
        }
        ASSERT_TRUE(model.set(*offset, size, true));
        ASSERT_EQ(*offset % (size >= (64 << 10) ? 4096 : 64), 0u);
        live.push_back({*offset, size});
        in_use += size;
      } else {
        const size_t which = random() % live.size();
        allocator.free(live[which].offset);
        ASSERT_TRUE(model.set(live[which].offset, live[which].size_bytes, false));
        in_use -= live[which].size_bytes;
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      }
      ASSERT_EQ(allocator.bytes_in_use(), in_use);
      if (step % 250 == 249) allocator = ExtentAllocator(kBytes, live);
    }
  }
}

}  // namespace
}  // namespace flowray::ray
