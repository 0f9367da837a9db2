#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <limits>

namespace flowray::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Array longs(const std::vector<int64_t>& values) { return Array(values); }

Array arg(const std::string& op, const Array& x, int axis) { return run_op(op, {x, Array(axis)}); }

std::string error_of(const Array& x, const Array& axis, bool building) {
  try {
    run_op_all("ArgMax", {x, axis},
               building ? RunOptions{.constants = {1}} : RunOptions{.unknown_shapes = true});
  } catch (const Error& error) {
    return error.message().substr(0, error.message().find('\n'));
  }
  return "no error";
}

TEST(ArgMax, FindsTheFirstBestAlongEitherAxis) {
  const Array x({{1.f, 7.f, 7.f}, {9.f, 2.f, 3.f}});
  EXPECT_EQ(arg("ArgMax", x, 1), longs({1, 0}));
  EXPECT_EQ(arg("ArgMax", x, -1), longs({1, 0}));
  EXPECT_EQ(arg("ArgMax", x, 0), longs({1, 0, 0}));
  EXPECT_EQ(arg("ArgMin", x, 1), longs({0, 1}));
  EXPECT_EQ(arg("ArgMin", x, 0), longs({0, 1, 1}));
}

TEST(ArgMax, SearchesAMiddleAxis) {
  Array x(DType::kInt32, Shape{2, 3, 70});
  for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * 7919 % 211);
  const Array found = arg("ArgMax", x, 1);
  ASSERT_EQ(found.shape(), (Shape{2, 70}));
  for (int a = 0; a < 2; ++a) {
    for (int c = 0; c < 70; ++c) {
      int64_t best = 0;
      for (int b = 1; b < 3; ++b) {
        const auto at = [&](int64_t k) { return x.data<int32_t>()[(a * 3 + k) * 70 + c]; };
        if (at(b) > at(best)) best = b;
      }
      EXPECT_EQ(found.data<int64_t>()[a * 70 + c], best);
    }
  }
}

TEST(ArgMax, NeverChoosesNan) {
  EXPECT_EQ(arg("ArgMax", Array({1.f, kNan, 3.f}), 0), Array(int64_t{2}));
  EXPECT_EQ(arg("ArgMax", Array({kNan, 1.f, 3.f}), 0), Array(int64_t{2}));
  EXPECT_EQ(arg("ArgMin", Array({kNan, 1.f, 3.f}), 0), Array(int64_t{1}));
  EXPECT_EQ(arg("ArgMax", Array({kNan, kNan}), 0), Array(int64_t{0}));
  EXPECT_EQ(arg("ArgMax", Array({-kInf, -kInf}), 0), Array(int64_t{0}));
}

TEST(ArgMax, GivesTheTypeThatIsAsked) {
  const Array x(std::vector<bool>{false, true, true});
  EXPECT_EQ(run_op("ArgMax", {x, Array(0)}, {{"output_type", DType::kInt32}}), Array(1));
  EXPECT_EQ(run_op("ArgMin", {Array({5, 4, 4}), Array(int64_t{0})}, {{"output_type", DType::kInt32}}),
            Array(1));
}

TEST(ArgMax, TellsWhichAxisIsNotThere) {
  const Array x({{1.f, 2.f}});
  const std::string range =
      " must be in the range [-2, 2), where 2 is the number of dimensions in the input.";
  EXPECT_TRUE(error_of(x, Array(2), true).starts_with("Dimension (2)" + range));
  EXPECT_TRUE(error_of(x, Array(-3), true).starts_with("Dimension (-3)" + range));
  EXPECT_TRUE(error_of(x, Array{0}, true).starts_with("Shape must be rank 0 but is rank 1"));
  EXPECT_EQ(error_of(x, Array(2), false), "Expected dimension in the range [-2, 2), but got 2");
  EXPECT_EQ(error_of(x, Array{0}, false), "dim must be a scalar, but received tensor of shape: [1]");
  EXPECT_EQ(error_of(Array(DType::kFloat32, Shape{2, 0}), Array(1), false),
            "Reduction axis 1 is empty in shape [2,0]");
  EXPECT_EQ(error_of(Array(DType::kFloat32, Shape{2, 0}), Array(-1), false),
            "Reduction axis -1 is empty in shape [2,0]");
  EXPECT_EQ(error_of(Array(3.f), Array(0), false), "Expected dimension in the range [0, 0), but got 0");
}

TEST(ArgMax, OfNothingAlongAnotherAxisIsEmpty) {
  EXPECT_EQ(arg("ArgMax", Array(DType::kFloat32, Shape{2, 0}), 0).shape(), (Shape{0}));
}

TEST(ArgMax, OfNoRows) {
  const int64_t many = int64_t{1} << 62;
  EXPECT_EQ(run_op("ArgMax", {Array(DType::kFloat32, {0, many, 4}), Array(1)}).shape(), Shape({0, 4}));
  EXPECT_EQ(run_op("ArgMax", {Array(DType::kFloat32, {1 << 30, 4, 0}), Array(1)}).shape(),
            Shape({1 << 30, 0}));
}

}  // namespace
}  // namespace flowray::testing
