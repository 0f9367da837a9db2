#include "core/job_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

namespace flowray {
namespace {

TEST(JobQueue, RunsJobsInTheOrderInWhichTheyCame) {
  std::vector<int> order;
  {
    JobQueue jobs(1);
    for (int i = 0; i < 100; ++i) jobs.post([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(JobQueue, RunsAsManyAtOnceAsItHasThreads) {
  std::latch all_here(3);
  JobQueue jobs(3);
  for (int i = 0; i < 3; ++i) jobs.post([&] { all_here.arrive_and_wait(); });
  all_here.wait();
}

TEST(JobQueue, GetsOneMoreThreadWhereAllAreBusyForLong) {
  std::latch first(1);
  std::latch second(1);
  JobQueue jobs(1);
  jobs.post([&] { first.wait(); });
  jobs.post([&] { second.wait(); });
  jobs.post([&] {
    first.count_down();
    second.count_down();
  });
  second.wait();  // without the third job this would have no end
}

TEST(JobQueue, NeverRunsAJobInThePostersThread) {
  const auto poster = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  std::latch ended(200);
  JobQueue jobs(2);
  for (int i = 0; i < 100; ++i) {
    jobs.post([&] {
      elsewhere += std::this_thread::get_id() != poster;
      jobs.post([&] {
        elsewhere += std::this_thread::get_id() != poster;
        ended.count_down();
      });
      ended.count_down();
    });
  }
  ended.wait();
  EXPECT_EQ(elsewhere, 200);
}

TEST(JobQueue, GoesThroughALongChainOfJobsThatPostEachOther) {
  constexpr int kJobs = 100'000;
  int done = 0;
  std::latch ended(1);
  JobQueue jobs(2);
  std::function<void()> next = [&] {
    if (++done == kJobs) return ended.count_down();
    jobs.post(next);
  };
  jobs.post(next);
  ended.wait();
  EXPECT_EQ(done, kJobs);
}

TEST(JobQueue, RunsWhatIsThereBeforeItEnds) {
  std::atomic<int> run{0};
  {
    JobQueue jobs(2);
    for (int i = 0; i < 1000; ++i) jobs.post([&] { ++run; });
  }
  EXPECT_EQ(run, 1000);
}

}  // namespace
}  // namespace flowray
