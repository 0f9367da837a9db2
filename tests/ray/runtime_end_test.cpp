// The end of a runtime, in order and not: what waits hears of it, and nothing is left.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/sanitizers.h"
#include "support/child_process.h"
#include "support/own_processes.h"

namespace flowray {
namespace {

using testing::built_program;
using testing::ChildProcess;
using ::testing::HasSubstr;
using testing::Holdings;
using testing::holdings;
using testing::OwnProcesses;

int sleeps_for_ever() {
  for (;;) pause();
}
int next(int n) { return n + 1; }
double first_of(const Array& values) { return values.span<float>()[0]; }
/// The child comes back from the function, too.
int forks(int n) { return fork() == 0 ? -n : n; }
int shuts_down() {
  ray::Shutdown();
  return ray::IsInitialized() ? 1 : 0;
}
RAY_REMOTE(sleeps_for_ever, next, first_of, forks, shuts_down);

Array large() { return Array(std::vector<float>(1 << 20, 7.0f)); }

ray::RayConfig small() {
  return {.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 60'000};
}

/// What a thread is told that does `work`, from when it sleeps until the runtime ends.
std::string told_by_shutdown(const std::vector<std::function<void()>>& work) {
  std::vector<std::string> told(work.size());
  std::vector<std::atomic<pid_t>> ids(work.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < work.size(); ++i) {
    threads.emplace_back([&, i] {
      ids[i] = gettid();
      try {
        work[i]();
        told[i] = "nothing";
      } catch (const ray::RayException& error) {
        told[i] = error.what();
      }
    });
  }
  for (auto& id : ids) {
    while (id == 0) std::this_thread::yield();
    EXPECT_TRUE(testing::await_sleep(id));
  }
  ray::Shutdown();
  for (std::thread& thread : threads) thread.join();
  std::string all;
  for (const std::string& one : told) all += one + "\n";
  return all;
}

TEST(Shutdown, WakesThoseThatWait) {
  ray::Init(small());
  const auto never = ray::Task(sleeps_for_ever).Remote();
  const std::string told =
      told_by_shutdown({[&] { never.Get(); }, [&] { never.Get(1'000'000); }, [&] { never.Get(); },
                        [&] { ray::Wait(std::vector{never}, 1, -1); }});
  for (size_t i = 0, line = 0; i < 4; ++i) {
    EXPECT_THAT(told.substr(line), HasSubstr("Shutdown()"));
    line = told.find('\n', line) + 1;
  }
  EXPECT_THAT(told, Not(HasSubstr("nothing")));
  ray::Init(small());
  EXPECT_EQ(*ray::Task(next).Remote(1).Get(), 2);
  ray::Shutdown();
}

TEST(Shutdown, IsToldToThoseThatMakeCalls) {
  for (int round = 0; round < 10; ++round) {
    ray::Init(small());
    std::atomic<int> done{0};
    std::atomic<int> told{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        try {
          for (;;) {
            const auto ref = ray::Put(t == 0 ? large() : Array(1.0f));
            if (t == 1) ref.Get();
            if (t == 2) ray::Task(next).Remote(1).Get();
            if (t == 3) ray::Wait(std::vector{ray::Task(next).Remote(1)}, 1, 1);
            ++done;
          }
        } catch (const ray::RayException&) {
          ++told;
        }
      });
    }
    while (done < 20) std::this_thread::yield();
    ray::Shutdown();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(told, 4);
  }
}

TEST(Shutdown, LeavesNothing) {
  const auto work = [] {
    ray::Init(small());
    const auto ref = ray::Put(large());
    const auto never = ray::Task(sleeps_for_ever).Remote();
    EXPECT_EQ(*ray::Task(first_of).Remote(ref).Get(), 7.0);
    auto array = ref.Get();
    ray::Shutdown();
    EXPECT_EQ(holdings().regions, 1u);
    EXPECT_EQ(array->span<float>()[(1 << 20) - 1], 7.0f);
  };
  work();  // what is made once, such as pools
  const Holdings before = holdings();
  work();
  work();
  EXPECT_EQ(holdings(), before);
  EXPECT_EQ(before.regions, 0u);
  EXPECT_EQ(before.processes, 1u) << "the zygote";
}

TEST(Shutdown, LeavesNothingAfterAnInitThatFailed) {
  const Holdings before = holdings();
  EXPECT_THROW(ray::Init({.num_cpus = -1}), ray::RayException);
  EXPECT_FALSE(ray::IsInitialized());
  EXPECT_EQ(holdings(), before);
}

TEST(Shutdown, DoesNothingInAWorker) {
  ray::Init(small());
  EXPECT_EQ(*ray::Task(shuts_down).Remote().Get(), 1);
  ray::Shutdown();
}

// ---- fork

/// The exit status of a child that does `work`; 99 if that throws.
int status_of_fork(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(status);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, LeavesTheRuntimeToTheParent) {
  ray::Init(small());
  {
    auto ref = ray::Put(large());
    auto array = ref.Get();
    const auto call = ray::Task(next).Remote(1);
    const int status = status_of_fork([&] {
      if (ray::IsInitialized()) return 1;
      try {
        call.Get();
        return 2;
      } catch (const ray::RayException& error) {
        if (std::string(error.what()).find("forked") == std::string::npos) return 3;
      }
      if (array->span<float>()[5] != 7.0f) return 4;
      array.reset();
      ref = {};
      ray::Shutdown();
      return 0;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(*call.Get(), 2);
    EXPECT_EQ(*ray::Task(first_of).Remote(ref).Get(), 7.0);
  }
  ray::Shutdown();
}

TEST(Fork, LetsTheChildHaveARuntimeOfItsOwn) {
  if (kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer allows no threads in a process that one with threads has forked";
  ray::Init(small());
  const int status = status_of_fork([&] {
    ray::Init(small());
    const int value = *ray::Task(next).Remote(20).Get();
    ray::Shutdown();
    return value;
  });
  EXPECT_EQ(status, 21);
  EXPECT_EQ(*ray::Task(next).Remote(1).Get(), 2);
  ray::Shutdown();
}

TEST(Fork, InAFunctionThatBothComeBackFromCountsOnce) {
  ray::Init({.num_cpus = 1});
  for (int i = 1; i <= 20; ++i) ASSERT_EQ(*ray::Task(forks).Remote(i).Get(), i);
  ray::Shutdown();
}

// ---- drivers that end

struct Ending {
  const char* how;
  int status;
};
void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.how; }

class DriverEnd : public ::testing::TestWithParam<Ending> {};

TEST_P(DriverEnd, LeavesNothing) {
  const OwnProcesses processes;
  ChildProcess driver({built_program("test-ray-ends"), GetParam().how});
  EXPECT_EQ(driver.wait(), GetParam().status) << driver.errors();
  EXPECT_THAT(driver.output(), HasSubstr("ready"));
  EXPECT_TRUE(processes.all_end());
}

INSTANTIATE_TEST_SUITE_P(OfMain, DriverEnd,
                         ::testing::Values(Ending{"return", 0}, Ending{"Shutdown", 0}, Ending{"exit", 3},
                                           Ending{"_exit", 4}, Ending{"throw", -SIGABRT}),
                         [](const auto& run) { return "By" + std::string(run.param.how); });

class DriverSignal : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(DriverSignal, LeavesNothing) {
  const auto& [where, signal] = GetParam();
  const OwnProcesses processes;
  ChildProcess driver({built_program("test-ray-ends"), where});
  driver.await_output("ready");
  EXPECT_GE(processes.alive().size(), 4u);  // driver, template, actor, task
  driver.send_signal(signal);
  EXPECT_EQ(driver.wait(), -signal);
  EXPECT_TRUE(processes.all_end());
}

INSTANTIATE_TEST_SUITE_P(InPauseOrGet, DriverSignal,
                         ::testing::Combine(::testing::Values("pause", "Get"),
                                            ::testing::Values(SIGINT, SIGTERM, SIGKILL)),
                         [](const auto& run) {
                           return std::get<0>(run.param) + "Signal" + std::to_string(std::get<1>(run.param));
                         });

TEST(DriverSignal, OfTheWholeGroupLeavesNothing) {  // as ^C in a terminal
  const OwnProcesses processes;
  ChildProcess driver({built_program("test-ray-ends"), "pause"});
  driver.await_output("ready");
  for (const pid_t pid : processes.alive()) kill(pid, SIGINT);
  EXPECT_EQ(driver.wait(), -SIGINT);
  EXPECT_TRUE(processes.all_end());
}

}  // namespace
}  // namespace flowray
