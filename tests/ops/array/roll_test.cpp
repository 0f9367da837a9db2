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

TEST(Roll, MovesByAnyNumber) {
  const auto longs = [](std::vector<int64_t> values) { return Array(values); };
  // 2^63 - 1 is 1 modulo 3, and -2^63 is 1 as well.
  EXPECT_EQ(run_op("Roll", {int_vector({1, 2, 3}), longs({INT64_MAX, INT64_MAX}), int_vector({0, 0})}),
            int_vector({2, 3, 1}));
  EXPECT_EQ(run_op("Roll", {int_vector({1, 2, 3}), longs({INT64_MIN}), int_vector({0})}),
            int_vector({3, 1, 2}));
}

TEST(Roll, LeavesAloneWhatIsEmpty) {
  const Shape shape{int64_t{1} << 60, 0};
  EXPECT_EQ(run_op("Roll", {zeros(shape), Array(std::vector<int64_t>{INT64_MAX - 1, INT64_MAX - 1}),
                            int_vector({0, 0})})
                .shape(),
            shape);
}

}  // namespace
}  // namespace flowray::testing
