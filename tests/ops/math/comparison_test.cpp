#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <limits>

namespace flowray::testing {
namespace {

Array floats(const std::vector<float>& values) { return Array(values); }
Array bools(const std::vector<bool>& values) { return Array(values); }

TEST(Comparison, OrdersNumbersAndNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Array x = floats({1, 2, 3, nan, nan});
  const Array y = floats({2, 2, 2, 2, nan});
  EXPECT_EQ(run_op("Less", {x, y}), bools({true, false, false, false, false}));
  EXPECT_EQ(run_op("LessEqual", {x, y}), bools({true, true, false, false, false}));
  EXPECT_EQ(run_op("Greater", {x, y}), bools({false, false, true, false, false}));
  EXPECT_EQ(run_op("GreaterEqual", {x, y}), bools({false, true, true, false, false}));
  EXPECT_EQ(run_op("Equal", {x, y}), bools({false, true, false, false, false}));
  EXPECT_EQ(run_op("NotEqual", {x, y}), bools({true, false, true, true, true}));
}

TEST(Comparison, BroadcastsIntegersAndBools) {
  EXPECT_EQ(run_op("Less", {Array({{1}, {3}}), Array({2, 3})}), Array({{true, true}, {false, false}}));
  EXPECT_EQ(run_op("GreaterEqual", {Array(std::vector<int64_t>{1, 2}), Array(int64_t{2})}),
            bools({false, true}));
  EXPECT_EQ(run_op("Equal", {bools({true, false}), Array(true)}), bools({true, false}));
}

TEST(Comparison, ShapesThatDoNotFitMayCountAsUnequal) {
  const std::vector<Array> inputs = {floats({1, 2}), floats({1, 2, 3})};
  EXPECT_EQ(run_op("Equal", inputs, {{"incompatible_shape_error", false}}), Array(false));
  EXPECT_EQ(run_op("NotEqual", inputs, {{"incompatible_shape_error", false}}), Array(true));
  EXPECT_THROW(run_op("Equal", inputs), ValueError);
}

TEST(Comparison, MayBeApproximate) {
  const auto near = [](const Array& x, const Array& y, float tolerance) {
    return run_op("ApproximateEqual", {x, y}, {{"tolerance", tolerance}});
  };
  EXPECT_EQ(near(Array({1.f, 2.f, -128.f}), Array({1.f, 3.f, -128.25f}), 0.5f), Array({true, false, true}));
  EXPECT_EQ(near(Array({1.0, 2.0}), Array({1.5, 2.0}), 0.5f), Array({false, true}));
  EXPECT_EQ(near(Array({std::numeric_limits<float>::quiet_NaN()}), Array({1.f}), 9.f), Array({false}));
  EXPECT_THROW(
      (void)run_op_all("ApproximateEqual", {Array({1.f, 2.f}), Array({1.f})}, {.unknown_shapes = true}),
      errors::InvalidArgumentError);
}

TEST(Comparison, CombinesTruthValues) {
  const Array x = bools({true, true, false, false});
  const Array y = bools({true, false, true, false});
  EXPECT_EQ(run_op("LogicalAnd", {x, y}), bools({true, false, false, false}));
  EXPECT_EQ(run_op("LogicalOr", {x, y}), bools({true, true, true, false}));
  EXPECT_EQ(run_op("LogicalAnd", {x, Array(true)}), x);
  EXPECT_THROW(run_op("LogicalAnd", {Array({1, 0}), y}), TypeError);
}

}  // namespace
}  // namespace flowray::testing
