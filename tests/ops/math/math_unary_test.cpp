#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace flowray::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Array doubles(const std::vector<double>& values) { return Array(values); }
Array floats(const std::vector<float>& values) { return Array(values); }

/// `op` of float64 and float32 values.
void expect_function(const std::string& op, const std::vector<double>& x, const std::vector<double>& y) {
  SCOPED_TRACE(op);
  expect_close(run_op(op, {doubles(x)}), doubles(y), 1e-14, 1e-15);
  expect_close(run_op(op, {doubles(x).astype(DType::kFloat32)}), doubles(y).astype(DType::kFloat32), 4e-7,
               1e-7);
}

TEST(MathUnary, RoundsAndSigns) {
  expect_function("Abs", {-2.5, 0, 3}, {2.5, 0, 3});
  expect_function("Neg", {-2.5, 0.5, kInf}, {2.5, -0.5, -kInf});
  expect_function("Sign", {-2.5, 0, 7, kNan, -kInf}, {-1, 0, 1, kNan, -1});
  expect_function("Floor", {-1.5, 1.5, 2}, {-2, 1, 2});
  expect_function("Ceil", {-1.5, 1.5, 2}, {-1, 2, 2});
  expect_function("Rint", {0.5, 1.5, 2.5, -0.5, -1.5, 2.4}, {0, 2, 2, 0, -2, 2});
  expect_function("Round", {0.5, 1.5, 2.5, -0.5, -1.5, 2.6}, {0, 2, 2, 0, -2, 3});
}

TEST(MathUnary, TakesPowersAndRoots) {
  expect_function("Square", {-3, 0.5, 0}, {9, 0.25, 0});
  expect_function("Sqrt", {4, 2.25, 0, kInf, -1}, {2, 1.5, 0, kInf, kNan});
  expect_function("Rsqrt", {4, 0.25, 0}, {0.5, 2, kInf});
  expect_function("Reciprocal", {4, -0.5, kInf}, {0.25, -2, 0});
  expect_function("Inv", {4, -0.5, kInf}, {0.25, -2, 0});
}

TEST(MathUnary, TakesExponentialsAndLogarithms) {
  expect_function("Exp", {0, 1, -1, 20, -kInf},
                  {1, 2.718281828459045, 0.36787944117144233, 485165195.4097903, 0});
  expect_function("Expm1", {0, 1e-10, 1}, {0, 1.00000000005e-10, 1.718281828459045});
  expect_function("Log", {1, 2.718281828459045, 10, 0, -1}, {0, 1, 2.302585092994046, -kInf, kNan});
  expect_function("Log1p", {0, 1e-10, 1}, {0, 9.9999999995e-11, 0.6931471805599453});
  expect_function("Sigmoid", {0, 2, -2, 800, -800}, {0.5, 0.8807970779778823, 0.11920292202211755, 1, 0});
  expect_function("Tanh", {0, 0.5, -2, 30, -kInf}, {0, 0.46211715726000973, -0.9640275800758169, 1, -1});
  expect_function("Erf", {0, 0.5, -1}, {0, 0.5204998778130465, -0.8427007929497149});
  expect_function("Erfc", {0, 0.5, -1}, {1, 0.4795001221869535, 1.842700792949715});
}

TEST(MathUnary, TakesAngles) {
  expect_function("Sin", {0, 1, -2}, {0, 0.8414709848078965, -0.9092974268256817});
  expect_function("Cos", {0, 1, -2}, {1, 0.5403023058681398, -0.4161468365471424});
  expect_function("Tan", {0, 1}, {0, 1.5574077246549023});
  expect_function("Asin", {0, 0.5, 1}, {0, 0.5235987755982989, 1.5707963267948966});
  expect_function("Acos", {0, 0.5, 1}, {1.5707963267948966, 1.0471975511965979, 0});
  expect_function("Atan", {0, 1, -kInf}, {0, 0.7853981633974483, -1.5707963267948966});
  expect_function("Sinh", {0, 1}, {0, 1.1752011936438014});
  expect_function("Cosh", {0, 1}, {1, 1.5430806348152437});
}

TEST(MathUnary, TestsForNanAndInfinity) {
  const Array x = floats({1, -INFINITY, NAN});
  EXPECT_EQ(run_op("IsNan", {x}), Array(std::vector<bool>{false, false, true}));
  EXPECT_EQ(run_op("IsInf", {x}), Array(std::vector<bool>{false, true, false}));
  EXPECT_EQ(run_op("IsFinite", {x}), Array(std::vector<bool>{true, false, false}));
  EXPECT_EQ(run_op("LogicalNot", {Array(std::vector<bool>{true, false})}),
            Array(std::vector<bool>{false, true}));
}

TEST(MathUnary, IntegersWrapAround) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(run_op("Neg", {Array({3, -4, kLeast})}), Array({-3, 4, kLeast}));
  EXPECT_EQ(run_op("Abs", {Array({3, -4, kLeast})}), Array({3, 4, kLeast}));
  EXPECT_EQ(run_op("Square", {Array({3, -4, 65536})}), Array({9, 16, 0}));
  EXPECT_EQ(run_op("Sign", {Array(std::vector<int64_t>{9, 0, -9})}), Array(std::vector<int64_t>{1, 0, -1}));
  EXPECT_EQ(run_op("Round", {Array({3, -4})}), Array({3, -4}));
}

TEST(MathUnary, GradientOpsTakeOutputAndGradient) {
  const Array y = doubles({0.5, 0.25});
  const Array dy = doubles({3, -2});
  expect_close(run_op("SigmoidGrad", {y, dy}), doubles({0.75, -0.375}), 1e-15);
  expect_close(run_op("TanhGrad", {y, dy}), doubles({2.25, -1.875}), 1e-15);
  expect_close(run_op("SqrtGrad", {y, dy}), doubles({3, -4}), 1e-15);
  expect_close(run_op("RsqrtGrad", {y, dy}), doubles({-0.1875, 0.015625}), 1e-15);
  expect_close(run_op("ReciprocalGrad", {y, dy}), doubles({-0.75, 0.125}), 1e-15);
  expect_close(run_op("InvGrad", {y, dy}), doubles({-0.75, 0.125}), 1e-15);
}

TEST(MathUnary, GradientOpsDoNotBroadcast) {
  try {
    run_op_all("TanhGrad", {floats({1}), floats({1, 2})}, {.unknown_shapes = true});
    FAIL() << "no error";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_TRUE(error.message().starts_with(
        "The two arguments to a cwise op must have same number of elements, got 1 and 2"))
        << error.message();
  }
}

TEST(MathUnary, KeepsShapesAndEmptyArrays) {
  EXPECT_EQ(run_op("Exp", {Array(DType::kFloat32, Shape{2, 0, 3})}).shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(run_op("Neg", {Array({{1.f}, {2.f}})}), Array({{-1.f}, {-2.f}}));
  EXPECT_EQ(run_op("Neg", {Array(2.5)}), Array(-2.5));
}

TEST(MathUnary, LargeArraysAreComputedWhole) {
  std::vector<double> x(100003);
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = 1e-3 * static_cast<double>(i);
    y[i] = std::sqrt(x[i]);
  }
  expect_close(run_op("Sqrt", {doubles(x)}), doubles(y), 1e-15);
}

TEST(MathUnary, IntegersHaveNoExponential) {
  EXPECT_THROW(run_op("Exp", {Array({1, 2})}), TypeError);
  EXPECT_THROW(run_op("Reciprocal", {Array({1, 2})}), errors::UnimplementedError);
}

TEST(MathUnary, GradientsAgreeWithDifferences) {
  const Array positive = doubles({0.3, 1.2, 2.5});
  const Array any = doubles({-1.3, 0.4, 2.1});
  for (const char* op : {"Sqrt", "Rsqrt", "Log", "Log1p", "Reciprocal", "Inv"})
    check_gradient(op, {positive});
  for (const char* op : {"Abs", "Neg", "Sign", "Square", "Exp", "Expm1", "Sin", "Cos", "Tan", "Atan", "Sinh",
                         "Cosh", "Tanh", "Sigmoid", "Erf", "Erfc"}) {
    check_gradient(op, {any});
  }
  for (const char* op : {"Asin", "Acos"}) check_gradient(op, {doubles({-0.7, 0.1, 0.6})});
}

TEST(MathUnary, SecondGradientsAgreeWithDifferences) {
  const Array y = doubles({0.4, 1.3, -0.6});
  const Array dy = doubles({1.5, -0.7, 0.3});
  for (const char* op : {"SigmoidGrad", "TanhGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "SqrtGrad"}) {
    check_gradient(op, {y, dy});
  }
}

}  // namespace
}  // namespace flowray::testing
