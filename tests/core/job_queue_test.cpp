#include "core/job_queue.h"

#include "core/quiet_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "core/sanitizers.h"

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

TEST(JobQueue, LeavesSignalsToTheThreadsOfTheProgram) {
  sigset_t signals;
  sigemptyset(&signals);
  {
    JobQueue jobs(1);
    jobs.post([&] { pthread_sigmask(SIG_SETMASK, nullptr, &signals); });
  }
  EXPECT_EQ(sigismember(&signals, SIGTERM), 1);
  EXPECT_EQ(sigismember(&signals, SIGINT), 1);
}

TEST(JobQueue, EndsInAForkedChildThatHasNoneOfItsThreads) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer waits in the child for threads that it has not";
  std::optional<OfOneProcess<JobQueue>> jobs(2);
  std::latch ended(1);
  (**jobs).post([&] { ended.count_down(); });
  ended.wait();
  const pid_t child = fork();
  if (child == 0) {
    jobs.reset();
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(OwnContinuations, AreRunByTheirThreadAtTheEnd) {
  std::thread::id runner;
  {
    const OwnContinuations own(true);
    continue_somewhere([&] { runner = std::this_thread::get_id(); });
    EXPECT_EQ(runner, std::thread::id());
  }
  EXPECT_EQ(runner, std::this_thread::get_id());
}

/// What the first one makes possible may be what it waits for.
TEST(OwnContinuations, LeaveAllButTheFirstToOthers) {
  std::latch second(1);
  bool is_first_over = false;
  {
    const OwnContinuations own(true);
    continue_somewhere([&] {
      second.wait();
      is_first_over = true;
    });
    continue_somewhere([&] { second.count_down(); });
  }
  EXPECT_TRUE(is_first_over);
}

TEST(OwnContinuations, LeaveToOthersWhatComesFromThem) {
  std::latch inner(1);
  {
    const OwnContinuations own(true);
    continue_somewhere([&] {
      continue_somewhere([&] { inner.count_down(); });
      inner.wait();
    });
  }
}

TEST(OwnContinuations, AreNobodysWhereThereIsNoTime) {
  std::thread::id runner;
  std::latch ended(1);
  const OwnContinuations own(false);
  continue_somewhere([&] {
    runner = std::this_thread::get_id();
    ended.count_down();
  });
  ended.wait();
  EXPECT_NE(runner, std::this_thread::get_id());
}

TEST(HeldContinuations, WaitUntilTheirThreadLetsGo) {
  std::atomic<bool> may_run{false};
  std::atomic<int> ran_too_early{0};
  std::latch ended(3);
  const auto job = [&] {
    ran_too_early += may_run ? 0 : 1;
    ended.count_down();
  };
  {
    HeldContinuations held;
    continue_somewhere(job);
    {
      const OwnContinuations own(true);
      continue_somewhere(job);
    }
    may_run = true;
    held.let_go();
    continue_somewhere(job);
  }
  ended.wait();
  EXPECT_EQ(ran_too_early, 0);
}

}  // namespace
}  // namespace flowray
