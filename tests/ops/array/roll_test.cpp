// Values are compared with TensorFlow's in GoldenOps (arrangements); here errors, in its words, and strings.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(Roll, SaysWhatDoesNotFit) {
  expect_run_error("shift and axis must have the same size\n", "Roll",
                   {zeros({2}), int_vector({1, 2}), int_vector({0})});
  expect_run_error("axis 1 is out of range\n", "Roll", {zeros({2}), int_vector({1}), int_vector({1})});
}

TEST(Roll, MovesStringsToo) {
  const Array words(std::vector<std::string>{"a", "b", "c"});
  EXPECT_EQ(run_op("Roll", {words, Array(1), Array(0)}), Array(std::vector<std::string>{"c", "a", "b"}));
}

}  // namespace
}  // namespace flowray::testing
