#include "ray/transport/waiting_room.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

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

}  // namespace
}  // namespace flowray::ray
