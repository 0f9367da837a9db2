#include "core/thread_pool.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <latch>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/sanitizers.h"

namespace flowray {
namespace {

struct Piece {
  int64_t begin;
  int64_t end;
  int worker;
};

// The pieces of one call, in order of their begin. Each worker has a place of its own to note its pieces.
std::vector<Piece> pieces_of(Parallel& parallel, int64_t count, int64_t min_per_worker) {
  std::vector<std::vector<Piece>> noted(static_cast<size_t>(parallel.workers()));
  parallel.for_range(count, min_per_worker, [&](int64_t begin, int64_t end, int worker) {
    noted.at(static_cast<size_t>(worker)).push_back({begin, end, worker});
  });
  std::vector<Piece> all;
  for (const auto& pieces : noted) all.insert(all.end(), pieces.begin(), pieces.end());
  std::sort(all.begin(), all.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  return all;
}

void expect_cover(const std::vector<Piece>& pieces, int64_t count) {
  int64_t next = 0;
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.begin, next);
    EXPECT_GT(piece.end, piece.begin);
    next = piece.end;
  }
  EXPECT_EQ(next, count);
}

TEST(ThreadPool, CoversEveryRangeOnce) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.workers(), std::max(threads, 1));
    for (const int64_t count : {1, 2, 3, 7, 100, 1001}) {
      for (const int64_t min_per_worker : {-1, 0, 1, 10, 1000}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(count) + " by " +
                     std::to_string(min_per_worker));
        expect_cover(pieces_of(pool, count, min_per_worker), count);
      }
    }
    EXPECT_TRUE(pieces_of(pool, 0, 1).empty());
    EXPECT_TRUE(pieces_of(pool, -5, 1).empty());
  }
}

TEST(ThreadPool, SplitsEvenlyIntoNoMorePiecesThanTheMinimumAllows) {
  ThreadPool pool(4, Sharing::kAlways);
  const auto sizes = [&](int64_t count, int64_t min_per_piece) {
    std::vector<int64_t> result;
    for (const Piece& piece : pieces_of(pool, count, min_per_piece))
      result.push_back(piece.end - piece.begin);
    return result;
  };
  EXPECT_EQ(sizes(10, 1), (std::vector<int64_t>{2, 2, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes(11, 5), (std::vector<int64_t>{6, 5}));
  EXPECT_EQ(sizes(9, 5), (std::vector<int64_t>{9}));
  EXPECT_EQ(sizes(3, 1), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(sizes(320, 1), std::vector<int64_t>(80, 4));              // pieces of four times the minimum
  EXPECT_EQ(sizes(2'560'000, 1), std::vector<int64_t>(256, 10'000));  // and no more than 64 for each worker
}

TEST(ThreadPool, BeginsPiecesOfSmallItemsAtWholeCacheLines) {
  ThreadPool pool(2, Sharing::kAlways);
  for (const int64_t count : {int64_t{600}, int64_t{1024}, int64_t{10'001}, INT64_MAX}) {
    const std::vector<Piece> pieces = pieces_of(pool, count, 300);
    EXPECT_GT(pieces.size(), count < 608 ? 0u : 1u);
    expect_cover(pieces, count);
    for (const Piece& piece : pieces) {
      EXPECT_EQ(piece.begin % 16, 0);
      EXPECT_TRUE(piece.end == count || piece.end - piece.begin >= 300);
    }
  }
}

TEST(ThreadPool, SplitsRangesNearTheGreatestCount) {
  ThreadPool pool(3);
  constexpr int64_t kCount = INT64_MAX;
  expect_cover(pieces_of(pool, kCount, 1), kCount);
}

// All pieces wait for each other, which ends only if each has a thread of its own.
TEST(ThreadPool, RunsPiecesAtTheSameTime) {
  constexpr int kThreads = 4;
  ThreadPool pool(kThreads, Sharing::kAlways);
  for (int round = 0; round < 20; ++round) {
    std::latch all_here(kThreads);
    std::vector<std::thread::id> ids(kThreads);
    pool.for_range(kThreads, 1, [&](int64_t, int64_t, int worker) {
      ids[static_cast<size_t>(worker)] = std::this_thread::get_id();
      all_here.arrive_and_wait();
    });
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  }
}

// Pieces [begin, end) of one worker wait until all others have ended, which only the other worker can do.
TEST(ThreadPool, LeavesNoPieceToAThreadThatIsBusyWithAnother) {
  ThreadPool pool(2, Sharing::kAlways);
  for (const int waiting : {0, 1}) {
    for (int round = 0; round < 100; ++round) {
      constexpr int kPieces = 8;
      std::atomic<int> others_ended{0};
      std::atomic<bool> is_first{true};
      pool.for_range(kPieces, 1, [&](int64_t, int64_t, int worker) {
        if (worker != waiting || !is_first.exchange(false)) {
          others_ended.fetch_add(1);
          return;
        }
        while (others_ended.load() < kPieces - 1) std::this_thread::yield();
      });
      EXPECT_GE(others_ended.load(), kPieces - 1);
    }
  }
}

// Threads come late, rest, and take from each other; each item is done once all the same, by one thread at a
// time for each worker, and is there when the call returns.
void expect_each_item_done_once(ThreadPool& pool, int rounds) {
  constexpr int64_t kItems = 300;
  std::vector<int> times(kItems);  // not atomic: ThreadSanitizer is to see who orders them
  std::vector<uint32_t> scratch(static_cast<size_t>(pool.workers()));
  for (int round = 0; round < rounds; ++round) {
    pool.for_range(kItems, 1 + round % 7, [&](int64_t begin, int64_t end, int worker) {
      uint32_t& own = scratch[static_cast<size_t>(worker)];
      for (int64_t i = begin; i < end; ++i) {
        ++times[static_cast<size_t>(i)];
        for (int64_t k = 0; k < i * 7919 % 97; ++k) own = own * 3 + 1;  // pieces take unequally long
      }
      if (begin * 7919 % 31 == round % 31) std::this_thread::yield();
    });
    ASSERT_EQ(std::count(times.begin(), times.end(), round + 1), kItems);
  }
}

TEST(ThreadPool, RunsEachItemOnceWhereThreadsAreInEachOthersWay) {
  for (const int threads : {2, 3, 5}) {
    SCOPED_TRACE(threads);
    ThreadPool pool(threads, Sharing::kWhenItPays);
    ThreadPool rival(threads, Sharing::kAlways);
    std::thread beside([&rival] { expect_each_item_done_once(rival, kSanitized ? 300 : 3000); });
    expect_each_item_done_once(pool, kSanitized ? 300 : 3000);
    beside.join();
  }
}

// All threads have one CPU: the pool's are in the caller's way, and rest.
TEST(ThreadPool, RunsEachItemOnceOnOneCpu) {
  if (available_cpus() < 2) GTEST_SKIP() << "a pool of two does not spin on one CPU";
  ThreadPool pool(2);
  std::thread caller([&pool] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof(here), &here), 0);  // what the pool's threads inherit
    expect_each_item_done_once(pool, kSanitized ? 300 : 3000);
  });
  caller.join();
}

TEST(ThreadPool, BringsWhatPiecesWroteToTheCaller) {
  ThreadPool pool(4);
  std::vector<int64_t> values(1000);
  for (int64_t round = 1; round <= 2000; ++round) {
    pool.for_range(1000, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
    });
    ASSERT_EQ(values[999], 999 * round);
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), 499500 * round);
  }
}

TEST(ThreadPool, RunsACallFromInsideABodySerially) {
  ThreadPool pool(4, Sharing::kAlways);
  std::latch all_here(4);
  std::vector<std::vector<Piece>> inner(4);
  pool.for_range(4, 1, [&](int64_t, int64_t, int worker) {
    all_here.arrive_and_wait();
    pool.for_range(100, 1, [&](int64_t begin, int64_t end, int inner_worker) {
      inner[static_cast<size_t>(worker)].push_back({begin, end, inner_worker});
    });
  });
  for (const auto& pieces : inner) {
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0].begin, 0);
    EXPECT_EQ(pieces[0].end, 100);
    EXPECT_EQ(pieces[0].worker, 0);
  }
}

TEST(ThreadPool, RunsACallSeriallyWhileAnotherThreadHasIt) {
  ThreadPool pool(2, Sharing::kAlways);
  std::latch busy(1);
  std::latch finish(1);
  std::thread other([&] {
    pool.for_range(2, 1, [&](int64_t begin, int64_t, int) {
      if (begin != 0) return;
      busy.count_down();
      finish.wait();
    });
  });
  busy.wait();
  EXPECT_EQ(pieces_of(pool, 100, 1).size(), 1u);
  finish.count_down();
  other.join();
  EXPECT_GE(pieces_of(pool, 100, 1).size(), 2u);
}

TEST(ThreadPool, ServesManyCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<int64_t> sums(4);
  std::vector<std::thread> callers;
  for (size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 500; ++round) {
        std::atomic<int64_t> sum{0};
        pool.for_range(300, 1, [&](int64_t begin, int64_t end, int) { sum += end - begin; });
        sums[caller] += sum.load();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const int64_t sum : sums) EXPECT_EQ(sum, 150000);
}

// The turns order nothing by themselves (relaxed), so that ThreadSanitizer sees whether the pool orders
// its callers.
TEST(ThreadPool, PassesFromCallerToCaller) {
  ThreadPool pool(2, Sharing::kAlways);
  std::atomic<int> turn{0};
  std::vector<std::thread> callers;
  std::vector<int> split(2);
  for (int caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 100; ++round) {
        while (turn.load(std::memory_order_relaxed) != caller) std::this_thread::yield();
        split[static_cast<size_t>(caller)] += static_cast<int>(pieces_of(pool, 2, 1).size());
        turn.store(1 - caller, std::memory_order_relaxed);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(split, (std::vector<int>{200, 200}));
}

TEST(ThreadPool, BringsAnExceptionToTheCallerAfterAllPiecesEnded) {
  ThreadPool pool(4, Sharing::kAlways);
  for (int throwing = 0; throwing < 4; ++throwing) {
    std::atomic<int> ended{0};
    try {
      pool.for_range(4, 1, [&](int64_t begin, int64_t, int) {
        ++ended;
        if (begin == throwing) throw std::out_of_range("piece " + std::to_string(begin));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_EQ(error.what(), "piece " + std::to_string(throwing));
    }
    EXPECT_EQ(ended, 4);
  }
  // The error does not stick to the pool.
  expect_cover(pieces_of(pool, 100, 1), 100);
}

TEST(ThreadPool, BringsOneOfSeveralExceptions) {
  ThreadPool pool(4, Sharing::kAlways);
  EXPECT_THROW(pool.for_range(4, 1, [](int64_t, int64_t, int worker) { throw worker; }), int);
  ThreadPool serial(1);
  EXPECT_THROW(serial.for_range(4, 1, [](int64_t, int64_t, int worker) { throw worker; }), int);
}

TEST(ThreadPool, LimitedViewUsesNoMoreWorkers) {
  ThreadPool pool(4, Sharing::kAlways);
  ThreadPool::Limited two = pool.limited(2);
  EXPECT_EQ(two.workers(), 2);
  const std::vector<Piece> pieces = pieces_of(two, 100, 1);  // whose workers it holds to be below 2
  EXPECT_GE(pieces.size(), 2u);
  ThreadPool::Limited one = pool.limited(0);
  EXPECT_EQ(one.workers(), 1);
  EXPECT_EQ(pieces_of(one, 100, 1).size(), 1u);
  EXPECT_EQ(pool.limited(100).workers(), 4);
}

TEST(ThreadPool, EndsWhileItsThreadsSpinOrSleep) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool unused(8);
    ThreadPool used(8);
    expect_cover(pieces_of(used, 8, 1), 8);
  }
}

// Exit status of a child that runs `body` after fork(); a child that hangs is ended by its alarm.
template <typename Body>
int status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

bool covers(ThreadPool& pool, int64_t count) {
  std::atomic<int64_t> sum{0};
  pool.for_range(count, 1, [&](int64_t begin, int64_t end, int) { sum += end - begin; });
  return sum == count;
}

TEST(ThreadPool, WorksInAChildOfFork) {
  ThreadPool pool(4);
  EXPECT_TRUE(covers(pool, 100));
  EXPECT_EQ(status_of_child([&] { return covers(pool, 100) && covers(pool, 100); }), 0);
  EXPECT_TRUE(covers(pool, 100));
}

// Returns when each of the `workers` of `pool` has run a piece at the same time as the others.
void meet_in(ThreadPool& pool, int workers) {
  std::latch all_here(workers);
  pool.for_range(workers, 1, [&](int64_t, int64_t, int) { all_here.arrive_and_wait(); });
}

TEST(ThreadPool, StartsThreadsOfItsOwnInAChildOfFork) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer ends a child of fork() that starts threads";
  ThreadPool pool(3, Sharing::kAlways);
  // All threads have begun before the fork: AddressSanitizer holds a lock while a thread begins, and a child
  // that has a copy of the held lock cannot start a thread.
  meet_in(pool, 3);
  EXPECT_EQ(status_of_child([&] {
              meet_in(pool, 3);
              return true;
            }),
            0);
}

TEST(ThreadPool, WorksInAChildForkedWhileAnotherThreadHadThePool) {
  ThreadPool pool(2, Sharing::kAlways);
  std::latch busy(1);
  std::latch finish(1);
  std::thread other([&] {
    pool.for_range(2, 1, [&](int64_t begin, int64_t, int) {
      if (begin != 0) return;
      busy.count_down();
      finish.wait();
    });
  });
  busy.wait();
  EXPECT_EQ(status_of_child([&] { return covers(pool, 100); }), 0);
  finish.count_down();
  other.join();
}

TEST(ThreadPool, CanBeDestroyedInAChildOfFork) {
  auto pool = std::make_unique<ThreadPool>(4);
  EXPECT_TRUE(covers(*pool, 100));
  EXPECT_EQ(status_of_child([&] {
              pool.reset();
              return true;
            }),
            0);
}

TEST(ThreadPool, TellsABodyThatForksAndReturnsInTheChild) {
  ThreadPool pool(2, Sharing::kAlways);
  const pid_t parent = getpid();
  std::atomic<pid_t> child{0};
  std::latch both_here(2);
  try {
    pool.for_range(2, 1, [&](int64_t, int64_t, int worker) {
      both_here.arrive_and_wait();
      if (worker == 0) child = fork();
      if (getpid() != parent) alarm(60);
    });
    if (getpid() != parent) _exit(1);
  } catch (const RuntimeError& error) {
    _exit(getpid() != parent && error.message().find("forked") != std::string::npos ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DefaultPool, IsOneForTheProcess) {
  EXPECT_EQ(&default_pool(), &default_pool());
  EXPECT_TRUE(covers(default_pool(), 100));
}

TEST(DefaultPool, HasTheNumberOfThreadsTheEnvironmentSays) {
  EXPECT_EQ(status_of_child([] {
              setenv("FLOWRAY_THREADS", "3", 1);
              return default_threads() == 3;
            }),
            0);
}

TEST(DefaultPool, HasAThreadForEachCpuOtherwise) {
  EXPECT_EQ(status_of_child([] {
              unsetenv("FLOWRAY_THREADS");
              cpu_set_t one_cpu;
              CPU_ZERO(&one_cpu);
              CPU_SET(sched_getcpu(), &one_cpu);
              const bool all = default_threads() == available_cpus();
              return all && sched_setaffinity(0, sizeof(one_cpu), &one_cpu) == 0 && default_threads() == 1;
            }),
            0);
}

TEST(DefaultPool, RefusesANumberOfThreadsThatIsNone) {
  for (const char* text : {"0", "-1", "two", "2x", "99999999999999999999"}) {
    const auto refuses = [&] {
      setenv("FLOWRAY_THREADS", text, 1);
      try {
        default_threads();
        return false;
      } catch (const errors::InvalidArgumentError& error) {
        return error.message().find("FLOWRAY_THREADS is '" + std::string(text) + "'") != std::string::npos;
      }
    };
    EXPECT_EQ(status_of_child(refuses), 0) << text;
  }
}

}  // namespace
}  // namespace flowray
