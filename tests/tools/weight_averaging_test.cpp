// The example programs of actors, as their users run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "support/child_process.h"

namespace flowray {
namespace {

using testing::ChildProcess;

/// The two numbers of the last line "Iteration 200: weights are {Variable: [w], Variable_1: [b]}".
std::pair<double, double> weights_in(const std::string& output) {
  std::smatch found;
  const std::regex last(R"(Iteration 200: weights are \{Variable: \[(\S+)\], Variable_1: \[(\S+)\]\}\n$)");
  if (!std::regex_search(output, found, last)) return {0, 0};
  return {std::stod(found[1]), std::stod(found[2])};
}

class AveragingExample : public ::testing::TestWithParam<const char*> {};

TEST_P(AveragingExample, FindsTheLine) {
  ChildProcess program({testing::built_program("weight_averaging"), GetParam()});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.errors(), "");
  const auto [w, b] = weights_in(program.output());
  EXPECT_NEAR(w, 0.1, 1e-3) << program.output();
  EXPECT_NEAR(b, 0.3, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Actors, AveragingExample, ::testing::Values("1", "2", "5"));

TEST(AveragingExampleMistake, RefusesWhatIsNoNumberOfActors) {
  ChildProcess program({testing::built_program("weight_averaging"), "-1"});
  EXPECT_EQ(program.wait(), 2);
  EXPECT_EQ(program.output(), "");
  EXPECT_NE(program.errors(), "");
}

}  // namespace
}  // namespace flowray
