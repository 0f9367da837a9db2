#include "core/step_log.h"

#include <gtest/gtest.h>

#include <chrono>

namespace flowray {
namespace {

TEST(StepLog, KeepsTheLastStepsInTheirOrder) {
  StepLog log;
  log.turn(true);
  for (uint64_t i = 0; i < StepLog::kMostSteps + 10; ++i) log.add({i, 1});
  const auto steps = log.steps();
  ASSERT_EQ(steps.size(), StepLog::kMostSteps);
  for (size_t i = 0; i < steps.size(); ++i) ASSERT_EQ(steps[i].begin_ns, i + 10);
  const auto taken = log.take();
  ASSERT_EQ(taken.size(), steps.size());
  EXPECT_EQ(taken[0].begin_ns, 10u);
  EXPECT_TRUE(log.is_empty() && log.steps().empty());
  log.add({7, 1});
  EXPECT_EQ(log.take().at(0).begin_ns, 7u);
}

TEST(StepLog, KeepsNothingWhileItIsOff) {
  StepLog log;
  log.add({1, 1});
  EXPECT_TRUE(log.is_empty());
  log.turn(true);
  log.add({1, 1});
  EXPECT_FALSE(log.is_empty());
  log.turn(false);
  EXPECT_TRUE(log.steps().empty());
}

/// A program that trains and sets its learning rate in turn sees all of its training.
TEST(StepLog, WatchesEachLongStepThoughShortOnesOfAnotherKindComeBetween) {
  StepLog& log = StepLog::of_process();
  log.turn(true);
  StepLog::Unwatched of_long{0};
  StepLog::Unwatched of_short{0};
  for (int i = 0; i < 5; ++i) {
    {
      const StepLog::Watch watch(of_long);
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::nanoseconds(2 * StepLog::kLeastNs)) {
      }
    }
    const StepLog::Watch watch(of_short);
  }
  EXPECT_GE(log.steps().size(), 5u);
  log.turn(false);
}

}  // namespace
}  // namespace flowray
