#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <vector>

namespace flowray {
namespace {

using testing::run_op;

TEST(Where, GivesTheCoordinatesOfTrueElementsInOrder) {
  const Array condition = Array(std::vector<bool>{false, true, true, false, false, true}).reshape({2, 3});
  EXPECT_EQ(run_op("Where", {condition}), Array(std::vector<int64_t>{0, 1, 0, 2, 1, 2}).reshape({3, 2}));
}

TEST(Where, TakesNumbersThatAreNotZeroForTrue) {
  const Array x(std::vector<float>{0.f, -2.f, 0.f, 0.5f});
  EXPECT_EQ(run_op("Where", {x}), Array(std::vector<int64_t>{1, 3}).reshape({2, 1}));
}

TEST(Where, GivesNoRowsWhereNothingIsTrue) {
  EXPECT_EQ(run_op("Where", {Array(DType::kBool, {2, 2})}), Array(DType::kInt64, {0, 2}));
  EXPECT_EQ(run_op("Where", {Array(DType::kBool, {0, 3})}), Array(DType::kInt64, {0, 2}));
}

TEST(Where, TakesOneToEightDimensions) {
  const auto expect_refused = [](const Array& condition, const char* text) {
    try {
      run_op("Where", {condition});
      FAIL() << "took " << condition.shape().to_string();
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_TRUE(error.message().starts_with(text)) << error.message();
    }
  };
  expect_refused(Array(true), "WhereOp : Unhandled input dimensions: 0");
  expect_refused(Array(DType::kBool, Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}),
                 "WhereOp : Unhandled input dimensions: 9");
}

}  // namespace
}  // namespace flowray
