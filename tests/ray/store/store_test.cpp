#include "ray/store/store.h"

#include <flowray/errors.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace flowray::ray {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr WorkerId kOne{1};
constexpr WorkerId kTwo{2};

/// Counts instead of making regions.
class CountedRegions final : public RegionHost {
 public:
  struct Shared {
    uint32_t slab;
    uint32_t worker;
    bool writable;
    bool operator==(const Shared&) const = default;
  };

  void create(SlabId slab, uint64_t bytes) override {
    if (refuses) throw errors::ResourceExhaustedError("the system has no memory");
    sizes[slab.value] = bytes;
  }
  void destroy(SlabId slab) override { EXPECT_EQ(sizes.erase(slab.value), 1u); }
  void share(SlabId slab, WorkerId worker, bool writable) override {
    EXPECT_TRUE(sizes.contains(slab.value));
    shared.push_back({slab.value, worker.value, writable});
  }

  void unshare(SlabId slab, WorkerId worker) override {
    unshared.push_back({slab.value, worker.value, false});
  }
  void open_lease(WorkerId, uint32_t lease) override { EXPECT_NE(lease, 0u); }
  bool end_lease(WorkerId worker, uint32_t, uint32_t) override { return !writing.contains(worker.value); }

  std::map<uint32_t, uint64_t> sizes;
  std::vector<Shared> shared;
  std::vector<Shared> unshared;
  std::set<uint32_t> writing;  // workers that have placed a value of which the store does not know yet
  bool refuses = false;
};

class StoreTest : public ::testing::Test {
 protected:
  CountedRegions regions;
  Store store{regions, 32 * kMiB};

  /// A value that the worker has written and said so.
  Extent sealed(WorkerId worker, SlabId slab, uint64_t offset, uint64_t bytes) {
    const Extent extent{slab, offset, bytes};
    store.seal(worker, extent);
    return extent;
  }
  std::string refusal(WorkerId worker, const Extent& extent) {
    try {
      store.seal(worker, extent);
    } catch (const errors::DataLossError& error) {
      return error.message();
    }
    return "accepted";
  }
};

TEST_F(StoreTest, PutsSmallValuesOfTheDriverIntoOneRegion) {
  const Extent one = store.allocate(100);
  const Extent two = store.allocate(100);
  EXPECT_EQ(one.slab, two.slab);
  EXPECT_GE(two.offset, one.offset + 100);
  EXPECT_EQ(regions.sizes.size(), 1u);
  EXPECT_EQ(store.region_bytes(), 8 * kMiB);
  EXPECT_EQ(store.used_bytes(), 200u);
}

TEST_F(StoreTest, GivesLargeValuesRegionsOfTheirOwnInStepsOfTwoMegabytes) {
  const Extent large = store.allocate(9 * kMiB);
  EXPECT_EQ(regions.sizes.at(large.slab.value), 10 * kMiB);
}

TEST_F(StoreTest, UsesARegionAgainWhenItsValuesAreFreed) {
  for (int i = 0; i < 100; ++i) {
    const Extent extent = store.allocate(7 * kMiB);
    EXPECT_EQ(store.free(extent), std::nullopt);
  }
  EXPECT_EQ(regions.sizes.size(), 1u);
  EXPECT_EQ(store.used_bytes(), 0u);
}

TEST_F(StoreTest, IsFullWhenItsCapacityIsInUseAndGoesOnWhenSomethingIsFreed) {
  std::vector<Extent> held;
  for (int i = 0; i < 4; ++i) held.push_back(store.allocate(8 * kMiB));
  try {
    store.allocate(8 * kMiB);
    FAIL() << "nothing was thrown";
  } catch (const StoreFullError& error) {
    EXPECT_THAT(error.message(),
                HasSubstr("The object store is full: 8388608 bytes are wanted, 33554432 of its 33554432"));
  }
  EXPECT_THROW(store.lease(kOne, 100), StoreFullError);
  store.free(held[2]);
  EXPECT_EQ(store.allocate(8 * kMiB).slab, held[2].slab);
}

TEST_F(StoreTest, RefusesAtOnceWhatIsLargerThanTheStore) {
  for (const uint64_t bytes : {32 * kMiB + 1, ~uint64_t{0}, ~uint64_t{0} - kMiB}) {
    EXPECT_THROW(store.allocate(bytes), errors::ResourceExhaustedError);
    EXPECT_THROW(store.lease(kOne, bytes), errors::ResourceExhaustedError);
  }
  EXPECT_THAT(regions.sizes, IsEmpty());
}

TEST_F(StoreTest, GivesEmptyRegionsBackForALargeValue) {
  std::vector<Extent> held;
  for (int i = 0; i < 4; ++i) held.push_back(store.allocate(7 * kMiB));
  for (const Extent& extent : held) store.free(extent);
  EXPECT_EQ(store.region_bytes(), 32 * kMiB);
  store.allocate(20 * kMiB);
  EXPECT_LE(store.region_bytes(), 32 * kMiB);
}

TEST_F(StoreTest, GivesNoRegionOfAWorkersBackAsLongAsItWritesThere) {
  for (const uint32_t worker : {1, 2, 3, 4}) store.lease({worker}, 100);
  regions.writing = {1, 2, 3, 4};
  EXPECT_THROW(store.allocate(100), StoreFullError);
  EXPECT_EQ(regions.sizes.size(), 4u);
  regions.writing = {1, 2, 4};
  EXPECT_EQ(store.allocate(100).slab, SlabId{3});
  EXPECT_THAT(regions.unshared, ElementsAre(CountedRegions::Shared{3, 3, false}));
}

TEST_F(StoreTest, TakesLeasesOfAllSizesBackForALargeValue) {
  std::vector<Extent> values;
  for (int i = 0; i < 4; ++i) values.push_back(sealed(kOne, store.lease(kOne, 8 * kMiB).slab, 0, 8 * kMiB));
  for (const Extent& value : values) EXPECT_EQ(store.free(value), kOne);
  EXPECT_EQ(store.allocate(30 * kMiB).size_bytes, 30 * kMiB);
  EXPECT_LE(store.region_bytes(), 32 * kMiB);
}

TEST_F(StoreTest, ServesAWorkerFromItsOwnLeasesOfAnotherSize) {
  for (uint64_t mib = 4; mib <= 32; mib += 4) {
    const LeasedRoom room = store.lease(kOne, mib * kMiB);
    EXPECT_GE(room.size_bytes, mib * kMiB);
    store.free(sealed(kOne, room.slab, room.offset, mib * kMiB));
  }
  EXPECT_LE(store.region_bytes(), 32 * kMiB);
}

TEST_F(StoreTest, UsesTheRoomBetweenTheValuesOfAWorker) {
  std::vector<Extent> values;
  for (int i = 0; i < 4; ++i) values.push_back(sealed(kOne, store.lease(kOne, 100).slab, 4 * kMiB, 100));
  regions.shared.clear();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(store.allocate(4 * kMiB).offset, 0u);
  EXPECT_EQ(refusal(kOne, {values[0].slab, 4096, 10}).substr(0, 8), "worker 1")
      << "nothing more is its to write";
  for (const Extent& value : values) {
    store.show(value, kOne);
    EXPECT_EQ(store.free(value), std::nullopt);
  }
  EXPECT_EQ(regions.shared.size(), 4u) << "it has forgotten the regions, and reads in them now";
  EXPECT_EQ(store.used_bytes(), 16 * kMiB);
}

TEST_F(StoreTest, LeasesPartsOfRegionsWhereRoomIsScarce) {
  for (int i = 0; i < 4; ++i) store.allocate(7 * kMiB);
  const LeasedRoom one = store.lease(kOne, kMiB);
  const LeasedRoom two = store.lease(kTwo, kMiB / 2);
  EXPECT_EQ(one.size_bytes, kMiB);
  EXPECT_EQ(two.size_bytes, kMiB / 2);
  const Extent extent = sealed(kOne, one.slab, one.offset, kMiB);
  EXPECT_THAT(refusal(kOne, {one.slab, one.offset - 4096, 100}), HasSubstr("is shorter"));
  EXPECT_THAT(refusal(kOne, {two.slab, two.offset, 100}), HasSubstr("is not its to write"));
  EXPECT_EQ(store.free(extent), kOne);
}

TEST_F(StoreTest, MakesSmallRegionsOfTheLastBytes) {
  Store small(regions, 5 * kMiB);
  EXPECT_EQ(small.allocate(4 * kMiB + 1).size_bytes, 4 * kMiB + 1);
  EXPECT_EQ(small.region_bytes(), 4 * kMiB + 4096);
}

TEST_F(StoreTest, GivesAWorkerAtMostAsManyLeasesAsItHasWordsFor) {
  Store large(regions, uint64_t{64} << 30);
  regions.writing = {1};
  for (uint32_t i = 0; i < kMostLeases; ++i) large.lease(kOne, 8 * kMiB);
  EXPECT_THROW(large.lease(kOne, 8 * kMiB), StoreFullError);
  regions.writing.clear();
  EXPECT_NE(large.lease(kOne, 8 * kMiB).lease, 0u);
}

TEST_F(StoreTest, CountsNothingWhenTheSystemHasNoMemory) {
  regions.refuses = true;
  EXPECT_THROW(store.allocate(100), errors::ResourceExhaustedError);
  EXPECT_THROW(store.lease(kOne, 100), errors::ResourceExhaustedError);
  EXPECT_EQ(store.region_bytes(), 0u);
  EXPECT_EQ(store.used_bytes(), 0u);
  regions.refuses = false;
  EXPECT_EQ(store.allocate(100).offset % 64, 0u);
}

TEST_F(StoreTest, LeasesARegionToBeWrittenByOneWorker) {
  const SlabId slab = store.lease(kOne, 9 * kMiB).slab;
  EXPECT_EQ(store.slab_bytes(slab), 10 * kMiB);
  EXPECT_THAT(regions.shared, ElementsAre(CountedRegions::Shared{slab.value, 1, true}));
  EXPECT_NE(store.allocate(100).slab, slab);
  EXPECT_NE(store.lease(kTwo, 100).slab, slab);
}

TEST_F(StoreTest, LeasesAnEmptyRegionOfTheDriversAgain) {
  const Extent extent = store.allocate(100);
  store.free(extent);
  EXPECT_EQ(store.lease(kOne, 100).slab, extent.slab);
  EXPECT_NE(store.allocate(100).slab, extent.slab);
}

TEST_F(StoreTest, LeasesNoRegionThatIsMuchTooLarge) {
  Store large(regions, 1024 * kMiB);
  const Extent extent = large.allocate(100 * kMiB);
  large.free(extent);
  EXPECT_NE(large.lease(kOne, 100).slab, extent.slab);
}

TEST_F(StoreTest, TellsTheWorkerThatItsValueIsFree) {
  const SlabId slab = store.lease(kOne, 100).slab;
  const Extent extent = sealed(kOne, slab, 128, 100);
  EXPECT_EQ(store.used_bytes(), 100u);
  EXPECT_EQ(store.free(extent), kOne);
  EXPECT_EQ(store.used_bytes(), 0u);
  EXPECT_EQ(refusal(kOne, extent), "accepted") << "its place can be used again";
}

TEST_F(StoreTest, RefusesValuesWhereAWorkerHasNoBusiness) {
  const SlabId slab = store.lease(kOne, 100).slab;
  const Extent drivers = store.allocate(100);
  sealed(kOne, slab, 1024, 100);
  EXPECT_THAT(refusal(kOne, {{77}, 0, 100}),
              HasSubstr("worker 1 says that a value of 100 bytes lies at 0 of slab 77"));
  EXPECT_THAT(refusal(kOne, {{77}, 0, 100}), HasSubstr("does not exist"));
  EXPECT_THAT(refusal(kTwo, {slab, 0, 100}), HasSubstr("is not its to write"));
  EXPECT_THAT(refusal(kOne, drivers), HasSubstr("is not its to write"));
  EXPECT_THAT(refusal(kOne, {slab, 8 * kMiB, 64}), HasSubstr("is shorter"));
  EXPECT_THAT(refusal(kOne, {slab, 8 * kMiB - 64, 65}), HasSubstr("is shorter"));
  EXPECT_THAT(refusal(kOne, {slab, ~uint64_t{63}, 128}), HasSubstr("is shorter"));
  EXPECT_THAT(refusal(kOne, {slab, 64, ~uint64_t{0}}), HasSubstr("is shorter"));
  EXPECT_THAT(refusal(kOne, {slab, 8, 100}), HasSubstr("aligned"));
  EXPECT_THAT(refusal(kOne, {slab, 0, 0}), HasSubstr("none without bytes"));
  EXPECT_THAT(refusal(kOne, {slab, 1024, 100}), HasSubstr("another value"));
  EXPECT_THAT(refusal(kOne, {slab, 1024 + 64, 10}), HasSubstr("another value"));
  EXPECT_THAT(refusal(kOne, {slab, 0, 1025}), HasSubstr("another value"));
  EXPECT_EQ(store.used_bytes(), 200u) << "what was refused is not counted";
  EXPECT_EQ(refusal(kOne, {slab, 0, 1024}), "accepted");
  EXPECT_EQ(refusal(kOne, {slab, 1024 + 128, 8 * kMiB - 1024 - 128}), "accepted");
}

TEST_F(StoreTest, SharesARegionOnceWithEachReader) {
  const SlabId slab = store.lease(kOne, 100).slab;
  const Extent one = sealed(kOne, slab, 0, 100);
  const Extent two = sealed(kOne, slab, 128, 100);
  regions.shared.clear();
  store.show(one, kOne);  // it writes there
  EXPECT_THAT(regions.shared, IsEmpty());
  store.show(one, kTwo);
  store.show(two, kTwo);
  EXPECT_THAT(regions.shared, ElementsAre(CountedRegions::Shared{slab.value, 2, false}));
}

TEST_F(StoreTest, GoesOnWhereADeadWorkersValuesStand) {
  const SlabId slab = store.lease(kOne, 100).slab;
  const Extent first = sealed(kOne, slab, 0, 100);
  const Extent last = sealed(kOne, slab, 8 * kMiB - 64, 64);
  store.take_back(kOne);
  EXPECT_EQ(store.used_bytes(), 164u);
  EXPECT_EQ(refusal(kOne, {slab, 4096, 10}).substr(0, 8), "worker 1") << "nothing more is its to write";

  const Extent middle = store.allocate(8 * kMiB - 8192);
  EXPECT_EQ(middle.slab, slab) << "what the dead had written but not said is free";
  EXPECT_GE(middle.offset, 128u);
  EXPECT_LE(middle.offset + middle.size_bytes, last.offset);
  for (const Extent& extent : {first, middle, last}) EXPECT_EQ(store.free(extent), std::nullopt);
  EXPECT_EQ(store.used_bytes(), 0u);
  EXPECT_EQ(store.lease(kTwo, 8 * kMiB).slab, slab);
}

TEST_F(StoreTest, ForgetsWhatADeadWorkerCouldRead) {
  const Extent extent = store.allocate(100);
  store.show(extent, kOne);
  store.take_back(kOne);
  regions.shared.clear();
  store.show(extent, kTwo);
  EXPECT_THAT(regions.shared, ElementsAre(CountedRegions::Shared{extent.slab.value, 2, false}));
}

}  // namespace
}  // namespace flowray::ray
