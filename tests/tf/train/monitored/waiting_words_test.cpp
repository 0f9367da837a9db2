#include "tf/train/monitored/waiting_words.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace flowray::tf::train {
namespace {

TEST(WaitingWords, AreSaidAgainAndAgainWhileSomebodyWaits) {
  std::atomic<int> said = 0;
  WaitingWords words("for whom", std::chrono::microseconds(1), [&](const std::string& line) {
    EXPECT_EQ(line, "for whom");
    ++said;
  });
  Coordinator coordinator;
  coordinator.start_thread([&] { words.watch(coordinator); });
  EXPECT_EQ(said, 0);  // nobody waits
  words.begin();
  while (said < 2) std::this_thread::yield();
  words.end();
  coordinator.join();
}

TEST(Coordinator, TellsTheFirstErrorOfItsThreads) {
  Coordinator coordinator;
  coordinator.start_thread([] { throw ValueError("of the thread"); });
  EXPECT_TRUE(coordinator.wait_for_stop(1e9));
  coordinator.request_stop(std::make_exception_ptr(ValueError("too late")));
  try {
    coordinator.join();
    ADD_FAILURE();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.message(), "of the thread");
  }
}

}  // namespace
}  // namespace flowray::tf::train
