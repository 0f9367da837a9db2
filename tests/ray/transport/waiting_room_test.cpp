#include "ray/transport/waiting_room.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/sanitizers.h"
#include "ray/transport/link.h"
#include "support/own_processes.h"

namespace flowray::ray {
namespace {

/// A process with no messages but what `drain` says.
class WaitingRoomTest : public ::testing::Test {
 protected:
  bool wait_for(const std::atomic<bool>& done) FLOWRAY_REQUIRES(mutex) {
    return room.wait(mutex, {}, 0, [&] { return done.load(); }, {never, never, always});
  }
  static bool never() { return false; }
  static bool always() { return true; }

  Doorbell doorbell;
  Mutex mutex;
  WaitingRoom room{doorbell};
};

TEST_F(WaitingRoomTest, IsEmptyAfterAnExceptionInDrain) {
  const MutexLock lock(mutex);
  EXPECT_THROW(room.wait(mutex, {}, 0, never, {never, []() -> bool { throw std::bad_alloc(); }, always}),
               std::bad_alloc);
  EXPECT_FALSE(room.is_occupied());
  const std::atomic<bool> done{true};
  EXPECT_TRUE(wait_for(done));
}

TEST_F(WaitingRoomTest, IsNotEmptyBetweenOnePollerAndTheNext) {
  std::atomic<bool> first_done{false};
  std::atomic<bool> second_done{false};
  std::atomic<bool> in_between{false};
  std::atomic<pid_t> first_id{0};
  std::atomic<pid_t> second_id{0};
  std::thread first([&] {
    first_id = gettid();
    const MutexLock lock(mutex);
    wait_for(first_done);
    in_between = room.is_occupied();  // the second cannot have the mutex yet
  });
  while (first_id == 0) std::this_thread::yield();
  ASSERT_TRUE(testing::await_sleep(first_id));
  std::thread second([&] {
    second_id = gettid();
    const MutexLock lock(mutex);
    wait_for(second_done);
  });
  while (second_id == 0) std::this_thread::yield();
  ASSERT_TRUE(testing::await_sleep(second_id));
  {
    const MutexLock lock(mutex);
    first_done = true;
    room.wake_all();
  }
  first.join();
  EXPECT_TRUE(in_between);
  {
    const MutexLock lock(mutex);
    second_done = true;
    room.wake_all();
  }
  second.join();
}

/// A process with links, of which it is one end.
class LinkedEnd {
 public:
  enum class Role { kCaller, kCallee };
  LinkedEnd(const std::vector<Link>& links, Role role) : room_(bell_) {
    for (const Link& link : links) {
      const bool calls = role == Role::kCaller;
      readers_.push_back(calls ? link.reader_in_caller() : link.reader_in_callee());
      writers_.push_back(calls ? link.writer_to_callee() : link.writer_to_caller());
      others_bells_.push_back(calls ? link.callee_doorbell() : link.caller_doorbell());
      room_.add(calls ? link.caller_doorbell() : link.callee_doorbell());
    }
  }

  void send(size_t link) {
    ASSERT_NE(writers_[link].reserve(8), nullptr);
    writers_[link].commit(8);
    others_bells_[link]->ring(-1);
  }
  /// Until so many have come; false: one is lost, or this thread sleeps although it is there.
  bool await(uint64_t count, int64_t spin_us) {
    const MutexLock lock(mutex_);
    return room_.wait(
        mutex_, std::chrono::steady_clock::now() + std::chrono::minutes(1), spin_us,
        [&] { return num_received_ >= count; },
        {[this] { return has_any(); }, [this] { return drain(); }, [this] { return !has_any(); }});
  }
  /// As a further link that comes and goes, in another thread.
  void add_and_remove(const std::shared_ptr<Doorbell>& bell) {
    const MutexLock lock(mutex_);
    room_.add(bell);
    room_.remove(bell.get());
  }

 private:
  bool has_any() const {
    return std::ranges::any_of(readers_, [](const RingReader& reader) { return !reader.empty(); });
  }
  bool drain() {
    const uint64_t before = num_received_;
    for (RingReader& reader : readers_) {
      for (; reader.peek().data() != nullptr; reader.pop()) ++num_received_;
    }
    return num_received_ != before;
  }

  Doorbell bell_;
  Mutex mutex_;
  WaitingRoom room_;
  std::vector<RingReader> readers_;
  std::vector<RingWriter> writers_;
  std::vector<std::shared_ptr<Doorbell>> others_bells_;
  uint64_t num_received_ = 0;
};

void linger(uint32_t times) {
  for (uint32_t i = 0; i < times; ++i) spin_pause();
}

TEST(WaitingRoomOfLinks, HearsAMessageThatComesAsItGoesToSleep) {
  if (!Doorbell::can_sleep_on_several()) GTEST_SKIP() << "Linux before 5.16 has no futex_waitv";
  constexpr size_t kLinks = 3;
  constexpr uint32_t kLongest = 200;  // about as long as it takes to go to sleep
  const uint64_t rounds = std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 3'000'000
                          : kSanitized                              ? 10'000
                                                                    : 60'000;
  std::vector<Link> links;
  for (size_t i = 0; i < kLinks; ++i)
    links.emplace_back(std::make_shared<SharedRegion>(SharedRegion::create("link", Link::size_bytes())));
  LinkedEnd caller(links, LinkedEnd::Role::kCaller);
  LinkedEnd callee(links, LinkedEnd::Role::kCallee);
  std::thread other([&] {
    std::minstd_rand random(2);
    for (uint64_t round = 1; round <= rounds; ++round) {
      ASSERT_TRUE(callee.await(round, static_cast<int64_t>(random() % 2))) << "in round " << round;
      linger(static_cast<uint32_t>(random() % kLongest));
      callee.send(random() % kLinks);
    }
  });
  std::minstd_rand random(1);
  const auto further = std::make_shared<Doorbell>();
  for (uint64_t round = 1; round <= rounds && !::testing::Test::HasFailure(); ++round) {
    linger(static_cast<uint32_t>(random() % kLongest));
    caller.send(random() % kLinks);
    if (round % 64 == 0) callee.add_and_remove(further);
    EXPECT_TRUE(caller.await(round, static_cast<int64_t>(random() % 2))) << "in round " << round;
  }
  other.join();
}

}  // namespace
}  // namespace flowray::ray
