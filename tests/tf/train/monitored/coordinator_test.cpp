#include <flowray/tf/session_run_hooks.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace flowray {
namespace {

/// Whoever starts them, and while others wait for their end.
TEST(Coordinator, JoinsThreadsThatItsThreadsHaveStarted) {
  constexpr int kStarters = 8;
  constexpr int kEach = 50;
  std::atomic<int> num_ended = 0;
  std::atomic<int> num_begun = 0;
  tf::train::Coordinator coordinator;
  for (int i = 0; i < kStarters; ++i) {
    coordinator.start_thread([&] {
      ++num_begun;
      while (num_begun < kStarters) std::this_thread::yield();  // all start theirs at a time
      for (int k = 0; k < kEach; ++k) coordinator.start_thread([&] { ++num_ended; });
    });
  }
  std::thread other([&] {
    coordinator.join();
    EXPECT_EQ(num_ended, kStarters * kEach);
  });
  coordinator.join();
  EXPECT_EQ(num_ended, kStarters * kEach);
  other.join();
}

}  // namespace
}  // namespace flowray
