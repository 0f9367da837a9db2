// Much of everything: finished, with right values and in bounded memory.
// Nightly at the counts that are promised.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace {

using flowray::testing::built_program;
using flowray::testing::ChildProcess;

/// By day a hundredth, or what takes a second.
std::string at_scale(int nightly, int by_day) {
  return std::to_string(std::getenv("FLOWRAY_NIGHTLY") != nullptr ? nightly : by_day);
}

void run_part(const std::string& part, const std::string& count) {
  ChildProcess program({built_program("test-ray-scale"), part, count});
  EXPECT_EQ(program.wait(), 0) << program.output() << program.errors();
  if (std::getenv("FLOWRAY_NIGHTLY") != nullptr) std::fputs(program.output().c_str(), stdout);
}

TEST(Scale, QueuedTasks) { run_part("tasks", at_scale(1'000'000, 10'000)); }
TEST(Scale, HandlesToActors) {
  if (std::getenv("FLOWRAY_NIGHTLY") == nullptr) GTEST_SKIP() << "a hundred processes: FLOWRAY_NIGHTLY";
  run_part("handles", "10000");
}
TEST(Scale, Objects) { run_part("objects", at_scale(100'000, 10'000)); }
TEST(Scale, ChainsOfTasks) { run_part("chain", at_scale(10'000, 1'000)); }
TEST(Scale, CallsAmongActors) { run_part("mesh", at_scale(20'000, 800)); }
TEST(Scale, TasksOfManyReferences) { run_part("fan-in", at_scale(10'000, 1'000)); }

}  // namespace
