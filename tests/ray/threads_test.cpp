// Several threads of one process in the runtime at once: each gets what is its, and none waits for another's.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/own_processes.h"

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

int plus_one(int n) { return n + 1; }

class Threaded {
 public:
  static Threaded* Create() { return new Threaded; }
  static Threaded* CreateOf(int /*n*/) { return new Threaded; }
  int Echo(int n) const { return n; }
  int Block() const {
    for (;;) pause();
  }

  /// Waits for one value after the other while another thread fills the ring to the driver.
  int WaitWhileAnotherPuts(int rounds) const {
    std::atomic<bool> done{false};
    std::thread other([&] {
      while (!done) ray::Put(std::string(30'000, 'x'));
    });
    int sum = 0;
    for (int i = 0; i < rounds; ++i) sum += *ray::Task(plus_one).Remote(i).Get();
    done = true;
    other.join();
    return sum;
  }

  /// Each of several threads waits for values of its own.
  int WaitInThreads(int threads, int rounds) const {
    std::atomic<int> sum{0};
    std::vector<std::thread> waiting;
    for (int t = 0; t < threads; ++t) {
      waiting.emplace_back([&] {
        for (int i = 0; i < rounds; ++i) sum += *ray::Task(plus_one).Remote(i).Get();
      });
    }
    for (std::thread& thread : waiting) thread.join();
    return sum;
  }
};

RAY_REMOTE(plus_one);
RAY_REMOTE(Threaded::Create, Threaded::CreateOf, &Threaded::Echo, &Threaded::Block,
           &Threaded::WaitWhileAnotherPuts, &Threaded::WaitInThreads);

class RuntimeThreads : public ::testing::Test {
 protected:
  RuntimeThreads() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{256} << 20, .shutdown_timeout_ms = 100});
  }
  ~RuntimeThreads() override { ray::Shutdown(); }
};

TEST_F(RuntimeThreads, OfAWorkerMayPutMuchWhileAnotherWaits) {
  const auto actor = ray::Actor(Threaded::Create).Remote();
  constexpr int kRounds = 2000;
  EXPECT_EQ(*actor.Task(&Threaded::WaitWhileAnotherPuts).Remote(kRounds).Get(kGuardMs),
            kRounds * (kRounds + 1) / 2);
}

TEST_F(RuntimeThreads, OfAWorkerMayAllWait) {
  const auto actor = ray::Actor(Threaded::Create).Remote();
  EXPECT_EQ(*actor.Task(&Threaded::WaitInThreads).Remote(4, 300).Get(kGuardMs), 4 * 300 * 301 / 2);
}

// One thread waits for what does not come and so looks at the rings, a second one waits for an answer, and
// the messages may be read by a third one that makes calls. Nothing but the answer rings.
TEST_F(RuntimeThreads, WaitForTheirOwnAnswersOnly) {
  const auto never = ray::Actor(Threaded::Create).Remote().Task(&Threaded::Block).Remote();
  const auto actor = ray::Actor(Threaded::Create).Remote();
  std::atomic<bool> done{false};
  std::atomic<pid_t> poller{0};
  std::thread waits([&] {
    poller = gettid();
    EXPECT_THROW(never.Get(), ray::RayException);
  });
  while (poller == 0) std::this_thread::yield();
  EXPECT_TRUE(testing::await_sleep(poller));
  std::thread calls([&] {
    while (!done) ray::Put(1);
  });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(*actor.Task(&Threaded::Echo).Remote(i).Get(kGuardMs), i);
  done = true;
  calls.join();
  ray::Shutdown();
  waits.join();
}

TEST_F(RuntimeThreads, HearAtOnceOfAKillByAnother) {
  // It is not made, as its argument does not come: no process ends with it, and nobody else says anything.
  const auto blocked = ray::Actor(Threaded::Create).Remote();
  EXPECT_EQ(*blocked.Task(&Threaded::Echo).Remote(1).Get(), 1);
  const auto actor = ray::Actor(Threaded::CreateOf).Remote(blocked.Task(&Threaded::Block).Remote());
  const auto call = actor.Task(&Threaded::Echo).Remote(1);
  std::atomic<pid_t> id{0};
  std::string told = "nothing";
  std::thread waits([&] {
    id = gettid();
    try {
      call.Get(kGuardMs);
    } catch (const ray::RayException& error) {
      told = error.what();
    }
  });
  while (id == 0) std::this_thread::yield();
  EXPECT_TRUE(testing::await_sleep(id));
  actor.Kill();
  waits.join();
  EXPECT_NE(told.find("killed by Kill()"), std::string::npos) << told;
}

}  // namespace
}  // namespace flowray
