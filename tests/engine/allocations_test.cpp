// What a step allocates once it runs as it always will.

#include "support/child_process.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "core/sanitizers.h"

namespace flowray::engine {
namespace {

struct Counts {
  int64_t system = -1;  // calls of malloc in 98 runs
  int64_t blocks = -1;  // arrays' blocks in as many
  int64_t asked = -1;   // of these: those that came from the system
};

const std::map<std::string, Counts>& counted() {
  static const auto kCounts = [] {
    testing::ChildProcess program({testing::built_program("test-engine-allocations")});
    EXPECT_EQ(program.wait(), 0) << program.errors();
    std::map<std::string, Counts> counts;
    std::istringstream lines(program.output());
    std::string name, word;
    while (lines >> name >> word) {
      Counts& its = counts[name];
      lines >> its.system >> word >> its.blocks >> word >> its.asked;
    }
    return counts;
  }();
  return kCounts;
}

class Allocations : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have a malloc of their own";
  }
  static Counts of(const std::string& name) {
    return counted().contains(name) ? counted().at(name) : Counts{};
  }
};

TEST_F(Allocations, AreNoneInATrainingStepWithoutFetches) {
  EXPECT_EQ(of("linear_regression").system, 0);
  EXPECT_EQ(of("linear_regression").blocks, 0);
}

TEST_F(Allocations, AreTheResultsAloneInATrainingStepWithFetches) {
  EXPECT_EQ(of("linear_regression_with_loss").system, 0);
  EXPECT_EQ(of("linear_regression_with_loss").blocks, 98);
}

TEST_F(Allocations, AreTheSameForAnyNumberOfIterations) {
  for (const char* name : {"loop_of_10", "loop_of_100", "loop_of_10_with_result"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(of(name).system, 0);
    EXPECT_EQ(of(name).asked, 0);
  }
  EXPECT_EQ(of("loop_of_100").blocks, of("loop_of_10").blocks);
}

TEST_F(Allocations, OfWhatIsKnownOnlyAtRunTimeAreBlocksOfThePool) {
  for (const char* name : {"where_and_neg", "mask_and_sum", "reshape_by_feed"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(of(name).system, 0);
    EXPECT_EQ(of(name).asked, 0);
  }
  // Where makes one, and Neg writes over it.
  EXPECT_EQ(of("where_and_neg").blocks, 98);
}

}  // namespace
}  // namespace flowray::engine
