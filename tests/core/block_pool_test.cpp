#include "core/block_pool.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/sanitizers.h"
#include "core/thread_owned.h"

namespace flowray {
namespace {

#define SKIP_WITHOUT_KEPT_BLOCKS() \
  if (kSanitized || kMemorySanitizer) GTEST_SKIP() << "under sanitizers no block is kept"

// Whether a child that runs `body` says true.
template <typename Body>
bool holds_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(BlockPool, WastesAtMostAQuarter) {
  for (size_t bytes = 1; bytes < (size_t{64} << 20); bytes += bytes / 7 + 1) {
    const Block block = allocate_block(bytes);
    const size_t capacity = block_capacity_bytes(block.size_class);
    EXPECT_GE(capacity, bytes);
    EXPECT_LE(capacity, std::max<size_t>(bytes + 63, bytes + bytes / 4));
    free_block(block);
  }
}

TEST(BlockPool, AsksTheSystemForNothingInTheSteadyState) {
  SKIP_WITHOUT_KEPT_BLOCKS();
  const std::vector<size_t> sizes = {0, 4, 400, 4096, 60000, 70000, 1 << 20, 8 << 20};
  const auto step = [&] {
    std::vector<Block> blocks;
    for (const size_t bytes : sizes) blocks.push_back(allocate_block(bytes));
    for (const Block& block : blocks) free_block(block);
  };
  step();
  const BlockPoolStats before = block_pool_stats();
  for (int i = 0; i < 1000; ++i) step();
  const BlockPoolStats after = block_pool_stats();
  EXPECT_EQ(after.system_allocations, before.system_allocations);
  EXPECT_EQ(after.blocks_allocated - before.blocks_allocated, 1000 * static_cast<int64_t>(sizes.size()));
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
}

TEST(BlockPool, CountsWhatIsInUse) {
  for (const size_t bytes : {400, 5 << 20}) {
    const BlockPoolStats before = block_pool_stats();
    const Block block = allocate_block(bytes);
    const auto block_bytes = static_cast<int64_t>(kBlockHeadBytes + block_capacity_bytes(block.size_class));
    EXPECT_EQ(block_pool_stats().bytes_in_use - before.bytes_in_use, block_bytes);
    free_block(block);
    EXPECT_EQ(block_pool_stats().bytes_in_use, before.bytes_in_use);
  }
}

TEST(BlockPool, KeepsAtMostItsLimitAndLetsGoOfTheOldestFirst) {
  SKIP_WITHOUT_KEPT_BLOCKS();
  EXPECT_TRUE(holds_in_child([] {
    trim_block_pool();
    constexpr size_t kBytes = 100 << 20;  // two of them fit into 256 MiB, three do not
    const Block first = allocate_block(kBytes);
    const Block second = allocate_block(kBytes);
    const Block small = allocate_block(20 << 20);
    free_block(first);
    free_block(second);
    const bool kept_two = block_pool_stats().bytes_kept > static_cast<int64_t>(2 * kBytes);
    free_block(small);
    const Block third = allocate_block(kBytes);
    const bool kept_both = third.memory == second.memory;
    const Block fourth = allocate_block(kBytes);
    const Block fifth = allocate_block(kBytes);
    free_block(third);
    free_block(fourth);
    free_block(fifth);  // pushes out the oldest two: `small`, then `third`
    const BlockPoolStats stats = block_pool_stats();
    const bool bounded = stats.bytes_kept <= (int64_t{256} << 20);
    const int64_t asked = stats.system_allocations;
    free_block(allocate_block(20 << 20));
    const bool small_went = block_pool_stats().system_allocations == asked + 1;
    return kept_two && kept_both && bounded && small_went;
  }));
}

TEST(BlockPool, DoesNotPushAllOutForABlockBeyondItsLimit) {
  SKIP_WITHOUT_KEPT_BLOCKS();
  const Block kept = allocate_block(10 << 20);
  free_block(kept);
  free_block(allocate_block(size_t{300} << 20));
  const int64_t asked = block_pool_stats().system_allocations;
  free_block(allocate_block(10 << 20));
  EXPECT_EQ(block_pool_stats().system_allocations, asked);
}

TEST(BlockPool, GivesAllBackWhenTrimmed) {
  free_block(allocate_block(100));
  free_block(allocate_block(10 << 20));
  trim_block_pool();
  EXPECT_EQ(block_pool_stats().bytes_kept, 0);
}

TEST(BlockPool, GivesNoMoreThanItMay) {
  EXPECT_TRUE(holds_in_child([] {
    constexpr int64_t kMiB = 1 << 20;
    const auto is_refused = [](size_t bytes) {
      try {
        free_block(allocate_block(bytes));
      } catch (const errors::ResourceExhaustedError& error) {
        return error.message().starts_with("OOM when allocating a buffer of " + std::to_string(bytes)) &&
               error.message().find(std::to_string(bytes) + " bytes\n") != std::string::npos;
      }
      return false;
    };
    trim_block_pool();
    const int64_t used = block_pool_stats().bytes_in_use;
    limit_block_pool(used + 8 * kMiB);
    const Block first = allocate_block(4 * kMiB);
    if (!is_refused(5 * kMiB) || !is_refused(int64_t{1} << 40)) return false;
    if (block_pool_stats().bytes_in_use >= used + 8 * kMiB) return false;  // what was refused is not counted
    free_block(first);
    free_block(allocate_block(6 * kMiB));  // what was kept has made room
    limit_block_pool(0);
    free_block(allocate_block(16 * kMiB));
    return true;
  }));
}

TEST(BlockPool, ReusesInOneThreadWhatAnotherFreed) {
  SKIP_WITHOUT_KEPT_BLOCKS();
  // Far more than a thread's cache holds, so that the freeing thread has to pass them on.
  constexpr int kBlocks = 1000;
  const auto round = [] {
    std::vector<Block> blocks;
    for (int i = 0; i < kBlocks; ++i) {
      blocks.push_back(allocate_block(1000));
      std::memset(blocks.back().memory, i, 1000);
    }
    std::set<void*> places;
    for (const Block& block : blocks) places.insert(block.memory);
    EXPECT_EQ(places.size(), static_cast<size_t>(kBlocks));
    std::thread([&] {
      for (const Block& block : blocks) free_block(block);
    }).join();
  };
  round();
  const int64_t asked = block_pool_stats().system_allocations;
  for (int i = 0; i < 5; ++i) round();
  EXPECT_EQ(block_pool_stats().system_allocations, asked);
}

TEST(BlockPool, TakesOverTheCacheOfAThreadThatEnds) {
  SKIP_WITHOUT_KEPT_BLOCKS();
  trim_block_pool();
  void* place = nullptr;
  const BlockPoolStats before = block_pool_stats();
  std::thread([&] {
    const Block block = allocate_block(777);
    place = block.memory;
    free_block(block);
  }).join();
  const BlockPoolStats between = block_pool_stats();
  EXPECT_EQ(between.blocks_allocated, before.blocks_allocated + 1);
  EXPECT_EQ(between.bytes_in_use, before.bytes_in_use);
  const Block block = allocate_block(777);
  EXPECT_EQ(block.memory, place);
  free_block(block);
}

// An object of a thread that is destroyed after the thread's cache, as its key is a later one.
struct FreesLate {
  Block block{};
  ~FreesLate() {
    if (block.memory != nullptr) free_block(block);
    free_block(allocate_block(99));
  }
};

TEST(BlockPool, ServesThreadsThatAreEnding) {
  const BlockPoolStats before = block_pool_stats();
  std::thread([] { ThreadOwned<FreesLate>::get().block = allocate_block(88); }).join();
  EXPECT_EQ(block_pool_stats().bytes_in_use, before.bytes_in_use);
}

TEST(BlockPool, ServesManyThreadsThatFreeEachOthersBlocks) {
  constexpr size_t kThreads = 4;
  const BlockPoolStats before = block_pool_stats();
  std::vector<std::vector<Block>> handed(kThreads);
  std::latch all_filled(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (size_t k = 0; k < 3000; ++k) {
        const size_t bytes = (k * 37 + i) % 5000;
        const Block block = allocate_block(bytes);
        std::memset(block.memory, static_cast<int>(i), kBlockHeadBytes + bytes);
        handed[i].push_back(block);
      }
      all_filled.arrive_and_wait();
      for (const Block& block : handed[(i + 1) % kThreads]) {
        EXPECT_EQ(*static_cast<unsigned char*>(block.memory), (i + 1) % kThreads);
        free_block(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(block_pool_stats().bytes_in_use, before.bytes_in_use);
}

TEST(BlockPool, WorksInAChildForkedWhileOtherThreadsUseIt) {
  if (kSanitized)
    GTEST_SKIP() << "the sanitizer's own allocator stands in for the pool, and may hang in a child forked "
                    "from threads";
  std::latch running(2);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      running.count_down();
      while (!stop) free_block(allocate_block(100000));
    });
  }
  running.wait();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(holds_in_child([] {
      for (const size_t bytes : {100, 100000, 1000000}) free_block(allocate_block(bytes));
      return block_pool_stats().blocks_allocated > 0;
    }));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// The pool reads the environment once, so these run in a program of their own: that is what a death test of
// the style "threadsafe" is.
class PoolLimit : public testing::Test {
 protected:
  PoolLimit() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~PoolLimit() override { unsetenv("FLOWRAY_POOL_BYTES"); }
};

TEST_F(PoolLimit, OfZeroKeepsNothing) {
  setenv("FLOWRAY_POOL_BYTES", "0", 1);
  const auto keeps_nothing = [] {
    free_block(allocate_block(10 << 20));
    return block_pool_stats().bytes_kept == 0;
  };
  EXPECT_EXIT(_exit(keeps_nothing() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(PoolLimit, ThatIsNoNumberIsRefusedAtEveryAllocation) {
  setenv("FLOWRAY_POOL_BYTES", "12k", 1);
  const auto refuses = [] {
    try {
      allocate_block(100);
      return false;
    } catch (const errors::InvalidArgumentError& error) {
      return error.message().find("FLOWRAY_POOL_BYTES is '12k'") != std::string::npos;
    }
  };
  EXPECT_EXIT(_exit(refuses() && refuses() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace flowray
