#include "support/op_runner.h"

#include <gtest/gtest.h>

namespace flowray::testing {
namespace {

std::string error_of(const std::string& op, const std::vector<Array>& inputs, const RunOptions& options) {
  try {
    run_op_all(op, inputs, options);
  } catch (const Error& error) {
    return error.message().substr(0, error.message().find('\n'));
  }
  return "no error";
}

TEST(BroadcastTo, RepeatsRowsColumnsAndElements) {
  EXPECT_EQ(run_op("BroadcastTo", {Array({1, 2}), Array({3, 2})}), Array({{1, 2}, {1, 2}, {1, 2}}));
  EXPECT_EQ(run_op("BroadcastTo", {Array({{1}, {2}}), Array({2, 3})}), Array({{1, 1, 1}, {2, 2, 2}}));
  EXPECT_EQ(run_op("BroadcastTo", {Array({{{1}}, {{2}}}), Array(std::vector<int64_t>{2, 2, 2})}),
            Array({{{1, 1}, {1, 1}}, {{2, 2}, {2, 2}}}));
  EXPECT_EQ(run_op("BroadcastTo", {Array(true), Array({2})}), Array(std::vector<bool>{true, true}));
  EXPECT_EQ(run_op("BroadcastTo", {Array({7}), Array{0}}).shape(), (Shape{0}));
}

TEST(BroadcastTo, TellsWhyItCannot) {
  const RunOptions running = {.unknown_shapes = true};
  const RunOptions building = {.constants = {1}};
  const Array two({1.f, 2.f});
  EXPECT_TRUE(error_of("BroadcastTo", {two, Array({3, 3})}, building)
                  .starts_with("Dimensions must be equal, but are 2 and 3"));
  EXPECT_TRUE(error_of("BroadcastTo", {Array({{1.f, 2.f}}), Array({2})}, building)
                  .starts_with("Shape must be at most rank 1 but is rank 2"));
  EXPECT_EQ(error_of("BroadcastTo", {two, Array({3, 3})}, running), "Incompatible shapes: [2] vs. [3,3]");
  EXPECT_EQ(error_of("BroadcastTo", {two, Array({2, 1})}, running),
            "Unable to broadcast tensor of shape [2] to tensor of shape [2,1]");
  EXPECT_EQ(error_of("BroadcastTo", {Array({{1.f, 2.f}}), Array({2})}, running),
            "Rank of input (2) must be no greater than rank of output shape (1).");
  EXPECT_EQ(error_of("BroadcastTo", {two, Array({-1})}, running), "Dimension -1 must be >= 0");
}

TEST(BroadcastTo, GradientSumsTheCopies) {
  check_gradient("BroadcastTo", {Array(std::vector<double>{1, 2}), Array({3, 2})});
  check_gradient("BroadcastTo", {Array({{1.5}, {2.5}}).astype(DType::kFloat64), Array({2, 2, 3})});
}

/// Axes as TensorFlow gives them; a dimension that is 1 on both sides is in both lists.
TEST(BroadcastGradientArgs, NamesTheAxesToSum) {
  const auto axes = [](const Array& a, const Array& b) {
    return run_op_all("BroadcastGradientArgs", {a, b});
  };
  const auto list = [](const std::vector<int32_t>& values) { return Array(values); };
  EXPECT_EQ(axes(list({2, 3}), list({3})), (std::vector{list({}), list({0})}));
  EXPECT_EQ(axes(list({2, 1, 3}), list({4, 1})), (std::vector{list({1}), list({0, 2})}));
  EXPECT_EQ(axes(list({1, 1}), list({1})), (std::vector{list({0, 1}), list({0, 1})}));
  EXPECT_EQ(axes(list({2, 1}), list({2, 1})), (std::vector{list({}), list({})}));
  EXPECT_EQ(axes(list({}), list({2, 3})), (std::vector{list({0, 1}), list({})}));
  EXPECT_EQ(axes(list({1, 5}), list({1})), (std::vector{list({0}), list({0, 1})}));
  EXPECT_EQ(axes(list({0, 3}), list({1, 3})), (std::vector{list({}), list({0})}));
  EXPECT_EQ(
      run_op_all("BroadcastGradientArgs", {Array(std::vector<int64_t>{2}), Array(std::vector<int64_t>{1})}),
      (std::vector{Array(std::vector<int64_t>{}), Array(std::vector<int64_t>{0})}));
  EXPECT_EQ(error_of("BroadcastGradientArgs", {list({2, 3}), list({4})}, {}),
            "Incompatible shapes: [2,3] vs. [4]");
}

TEST(BroadcastArgs, GivesTheCommonShape) {
  EXPECT_EQ(run_op("BroadcastArgs", {Array({2, 1, 3}), Array({4, 1})}), Array({2, 4, 3}));
  EXPECT_EQ(run_op("BroadcastArgs", {Array({5}), Array({1})}), Array({5}));
}

}  // namespace
}  // namespace flowray::testing
