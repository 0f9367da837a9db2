#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace flowray::testing {
namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Array doubles(const std::vector<double>& values) { return Array(values); }
Array floats(const std::vector<float>& values) { return Array(values); }
Array longs(const std::vector<int64_t>& values) { return Array(values); }

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(MathBinary, AddsSubtractsMultiplies) {
  EXPECT_EQ(run_op("AddV2", {floats({1, 2}), floats({10, -5})}), floats({11, -3}));
  EXPECT_EQ(run_op("Add", {Array({1, 2}), Array({10, -5})}), Array({11, -3}));
  EXPECT_EQ(run_op("Sub", {doubles({1, 2}), doubles({10, -5})}), doubles({-9, 7}));
  EXPECT_EQ(run_op("Mul", {longs({3, 2}), longs({10, -5})}), longs({30, -10}));
  EXPECT_EQ(run_op("SquaredDifference", {floats({1, 2}), floats({4, -5})}), floats({9, 49}));
}

TEST(MathBinary, IntegersWrapAround) {
  EXPECT_EQ(run_op("AddV2", {Array({2147483647}), Array({1})}), Array({kLeast}));
  EXPECT_EQ(run_op("Sub", {Array({kLeast}), Array({1})}), Array({2147483647}));
  EXPECT_EQ(run_op("Mul", {Array({65536}), Array({65537})}), Array({65536}));
}

TEST(MathBinary, BroadcastsOnEitherSide) {
  const Array matrix({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  EXPECT_EQ(run_op("Sub", {matrix, floats({1, 2, 3})}), Array({{0.f, 0.f, 0.f}, {3.f, 3.f, 3.f}}));
  EXPECT_EQ(run_op("Sub", {floats({1, 2, 3}), matrix}), Array({{0.f, 0.f, 0.f}, {-3.f, -3.f, -3.f}}));
  EXPECT_EQ(run_op("Sub", {matrix, Array({{1.f}, {2.f}})}), Array({{0.f, 1.f, 2.f}, {2.f, 3.f, 4.f}}));
  EXPECT_EQ(run_op("Sub", {Array({{1.f}, {2.f}}), matrix}), Array({{0.f, -1.f, -2.f}, {-2.f, -3.f, -4.f}}));
  EXPECT_EQ(run_op("Sub", {matrix, Array(1.f)}), Array({{0.f, 1.f, 2.f}, {3.f, 4.f, 5.f}}));
  EXPECT_EQ(run_op("Sub", {Array(1.f), matrix}), Array({{0.f, -1.f, -2.f}, {-3.f, -4.f, -5.f}}));
  EXPECT_EQ(run_op("Sub", {Array({{1.f}, {2.f}}), floats({10, 20})}), Array({{-9.f, -19.f}, {-8.f, -18.f}}));
}

/// x[2,1,3,1] - y[4,1,5]: every operand is repeated somewhere in the middle.
TEST(MathBinary, BroadcastsAlternatingDimensions) {
  Array x(DType::kInt32, Shape{2, 1, 3, 1});
  Array y(DType::kInt32, Shape{4, 1, 5});
  for (int i = 0; i < 6; ++i) x.mutable_data<int32_t>()[i] = 100 * i;
  for (int i = 0; i < 20; ++i) y.mutable_data<int32_t>()[i] = i;
  const Array z = run_op("Sub", {x, y});
  ASSERT_EQ(z.shape(), (Shape{2, 4, 3, 5}));
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 4; ++b) {
      for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 5; ++d) {
          EXPECT_EQ(z.data<int32_t>()[((a * 4 + b) * 3 + c) * 5 + d], 100 * (a * 3 + c) - (b * 5 + d));
        }
      }
    }
  }
}

/// A bias of few elements takes a path of its own: 10,000 rows of 7, on both sides.
TEST(MathBinary, RepeatsAShortRow) {
  Array x(DType::kFloat32, Shape{10000, 7});
  for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  const Array bias = floats({0, 1, 2, 3, 4, 5, 6});
  const Array right = run_op("Sub", {x, bias});
  const Array left = run_op("Sub", {bias, x});
  for (int64_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(right.data<float>()[i], static_cast<float>(i / 7 * 7)) << i;
    ASSERT_EQ(left.data<float>()[i], -static_cast<float>(i / 7 * 7)) << i;
  }
}

TEST(MathBinary, EmptyArraysBroadcast) {
  EXPECT_EQ(run_op("AddV2", {Array(DType::kFloat32, Shape{0, 3}), floats({1, 2, 3})}).shape(), (Shape{0, 3}));
  EXPECT_EQ(run_op("FloorDiv", {Array(DType::kInt32, Shape{0}), Array(0)}).shape(), (Shape{0}));
}

TEST(MathBinary, DividesIntegers) {
  const Array x({7, -7, 7, -7, 6, -6, kLeast});
  const Array y({2, 2, -2, -2, -3, 3, -1});
  EXPECT_EQ(run_op("FloorDiv", {x, y}), Array({3, -4, -4, 3, -2, -2, kLeast}));
  EXPECT_EQ(run_op("Div", {x, y}), Array({3, -3, -3, 3, -2, -2, kLeast}));
  EXPECT_EQ(run_op("TruncateDiv", {x, y}), Array({3, -3, -3, 3, -2, -2, kLeast}));
  EXPECT_EQ(run_op("FloorMod", {x, y}), Array({1, 1, -1, -1, 0, 0, 0}));
  EXPECT_EQ(run_op("Mod", {x, y}), Array({1, -1, 1, -1, 0, 0, 0}));
  EXPECT_EQ(run_op("TruncateMod", {x, y}), Array({1, -1, 1, -1, 0, 0, 0}));
}

TEST(MathBinary, DividesFloats) {
  const Array x = floats({7, -7, 5.5, -5.5, 1, 1, 6});
  const Array y = floats({2, 2, 1.5, 1.5, 0, -kInf, -3});
  expect_close(run_op("FloorDiv", {x, y}), floats({3, -4, 3, -4, kInf, -0.f, -2}));
  expect_close(run_op("TruncateDiv", {x, y}), floats({3, -3, 3, -3, kInf, -0.f, -2}));
  expect_close(run_op("FloorMod", {x, y}), floats({1, 1, 1, 0.5, kNan, -kInf, 0}));
  expect_close(run_op("Mod", {x, y}), floats({1, -1, 1, -1, kNan, 1, 0}));
  expect_close(run_op("RealDiv", {x, y}), floats({3.5, -3.5, 3.6666667f, -3.6666667f, kInf, -0.f, -2}));
  expect_close(run_op("Div", {x, y}), floats({3.5, -3.5, 3.6666667f, -3.6666667f, kInf, -0.f, -2}));
  expect_close(run_op("DivNoNan", {x, y}), floats({3.5, -3.5, 3.6666667f, -3.6666667f, 0, -0.f, -2}));
}

TEST(MathBinary, RefusesToDivideIntegersByZero) {
  for (const char* op : {"FloorDiv", "Div", "FloorMod", "Mod"}) {
    for (const Array& zero : {Array({1, 0}), Array(0)}) {
      EXPECT_TRUE(
          message_of([&] { run_op(op, {Array({1, 2}), zero}); }).starts_with("Integer division by zero"))
          << op;
    }
  }
  EXPECT_THROW(run_op("FloorDiv", {Array(1), Array(0)}), errors::InvalidArgumentError);
  // TensorFlow's loop of these ops does not expect it.
  for (const char* op : {"TruncateDiv", "TruncateMod"}) {
    EXPECT_TRUE(
        message_of([&] {
          run_op(op, {Array(1), Array(0)});
        }).starts_with("Unexpected error in binary operator (only integer div and mod should have errors)"));
    EXPECT_THROW(run_op(op, {Array(1), Array(0)}), errors::InternalError);
  }
  EXPECT_THROW(run_op("RealDiv", {Array(4), Array(2)}), errors::UnimplementedError);
}

TEST(MathBinary, MaximumAndMinimumPropagateNan) {
  const Array x = floats({kNan, 1, 3, -2});
  const Array y = floats({1, kNan, 2, 5});
  expect_close(run_op("Maximum", {x, y}), floats({kNan, kNan, 3, 5}));
  expect_close(run_op("Minimum", {x, y}), floats({kNan, kNan, 2, -2}));
  EXPECT_EQ(run_op("Maximum", {longs({3, -4}), longs({2, -1})}), longs({3, -1}));
  EXPECT_EQ(run_op("Minimum", {longs({3, -4}), longs({2, -1})}), longs({2, -4}));
}

TEST(MathBinary, RaisesToPowers) {
  expect_close(run_op("Pow", {floats({2, -2, -2, 0}), floats({0.5, 2, 0.5, -1})}),
               floats({1.4142135f, 4, kNan, kInf}));
  expect_close(run_op("Pow", {doubles({1.5, -3}), Array(2.0)}), doubles({2.25, 9}), 1e-15);
  expect_close(run_op("Pow", {doubles({1.5, -3}), Array(3.0)}), doubles({3.375, -27}), 1e-15);
  EXPECT_EQ(run_op("Pow", {Array({2, 3, 0, -2, 7}), Array({3, 0, 0, 3, 40})}),
            Array({8, 1, 1, -8, -142118463}));
  EXPECT_TRUE(message_of([] {
                run_op("Pow", {Array(2), Array(-1)});
              }).starts_with("Integers to negative integer powers are not allowed"));
}

TEST(MathBinary, TakesTheAngleOfAPoint) {
  expect_close(run_op("Atan2", {doubles({1, -1, 0}), doubles({1, -1, -1})}),
               doubles({0.7853981633974483, -2.356194490192345, 3.141592653589793}), 1e-15);
}

TEST(MathBinary, TellsWhichShapesDoNotFit) {
  EXPECT_TRUE(message_of([] {
                run_op("AddV2", {floats({1, 2}), floats({1, 2, 3})});
              }).starts_with("Dimensions must be equal, but are 2 and 3"));
  EXPECT_TRUE(message_of([] {
                run_op_all("AddV2", {floats({1, 2}), floats({1, 2, 3})}, {.unknown_shapes = true});
              }).starts_with("Incompatible shapes: [2] vs. [3]"));
}

TEST(MathBinary, TellsWhatBroadcastsTooManyWays) {
  const Shape a{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1};
  const Shape b{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  EXPECT_EQ(message_of([&] {
              run_op("AddV2", {Array(DType::kFloat32, a), Array(DType::kFloat32, b)});
            }).substr(0, 99),
            "Broadcast between [2,1,2,1,2,1,2,1,2,1,2,1] and [1,2,1,2,1,2,1,2,1,2,1,2] is not supported "
            "yet.\n\t [");
}

TEST(MathBinary, GradientsAgreeWithDifferences) {
  const Array x = doubles({0.7, 1.9, 3.1});
  const Array y = doubles({1.2, 0.4, 2.6});
  for (const char* op : {"AddV2", "Add", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "FloorMod", "Maximum",
                         "Minimum", "Pow", "SquaredDifference", "Atan2"}) {
    check_gradient(op, {x, y});
  }
}

TEST(MathBinary, GradientsAreSummedWhereOperandsWereRepeated) {
  const Array matrix({{0.7, 1.9, 3.1}, {2.2, 0.3, 1.4}});
  const Array column({{1.3}, {0.6}});
  const Array row = doubles({1.2, 0.4, 2.6});
  for (const char* op : {"AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Pow", "SquaredDifference", "Atan2"}) {
    check_gradient(op, {matrix.astype(DType::kFloat64), row});
    check_gradient(op, {column.astype(DType::kFloat64), row});
    check_gradient(op, {Array(1.7), matrix.astype(DType::kFloat64)});
  }
}

}  // namespace
}  // namespace flowray::testing
