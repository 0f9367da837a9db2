// FusedBatchNormV3: values are compared with TensorFlow's in GoldenOps (batch_norms); here shapes, gradient
// and errors.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

using graph::Attrs;

Array array(const std::vector<float>& values, const Shape& shape) { return Array::from(values, shape); }

TEST(FusedBatchNorm, MakesMeanZeroAndVarianceOne) {
  // One channel of 1, 3: mean 2, variance 1, unbiased 2.
  const Array one(std::vector<float>{1});
  const Array zero(std::vector<float>{0});
  const Array none(std::vector<float>{});
  const std::vector<Array> out =
      run_op_all("FusedBatchNormV3", {array({1, 3}, {2, 1, 1, 1}), one, zero, none, none},
                 {.attrs = {{"epsilon", 0.f}}});
  EXPECT_EQ(out[0], array({-1, 1}, {2, 1, 1, 1}));
  EXPECT_EQ(out[1], array({2}, {1}));
  EXPECT_EQ(out[2], array({2}, {1}));
  EXPECT_EQ(out[3], array({2}, {1}));
  EXPECT_EQ(out[4], array({1}, {1}));
}

TEST(FusedBatchNorm, TakesTheAveragesWhenItIsNotTraining) {
  // (5 - 1) * 3 / sqrt(4) + 0.5
  const std::vector<Array> out = run_op_all(
      "FusedBatchNormV3",
      {array({5}, {1, 1, 1, 1}), array({3}, {1}), array({0.5f}, {1}), array({1}, {1}), array({4}, {1})},
      {.attrs = {{"epsilon", 0.f}, {"is_training", false}}});
  EXPECT_EQ(out[0], array({6.5f}, {1, 1, 1, 1}));
  EXPECT_EQ(out[1], array({1}, {1}));
  EXPECT_EQ(out[2], array({4}, {1}));
}

TEST(FusedBatchNorm, KnowsItsShapes) {
  const TestInput c = floats({3});
  EXPECT_EQ(built_shapes("FusedBatchNormV3", {floats({Shape::kUnknownDim, 4, 5, 3}), c, c, c, c}),
            (std::vector<std::string>{"[?,4,5,3]", "[3]", "[3]", "[3]", "[3]", "<unknown>"}));
  EXPECT_EQ(built_shapes("FusedBatchNormV3", {floats({2, Shape::kUnknownDim, 5, 5}), c, c, c, c},
                         {{"data_format", std::string("NCHW")}})[1],
            "[3]");
  expect_build_error("Dimensions must be equal, but are 4 and 3", "FusedBatchNormV3",
                     {floats({2, 5, 5, 4}), c, c, c, c});
}

TEST(FusedBatchNorm, SaysWhatDoesNotFit) {
  const Array x = zeros({2, 2, 3, 2});
  expect_run_error("scale must have the same number of elements as the channels of x, got 1 and 2",
                   "FusedBatchNormV3", {x, zeros({1}), zeros({2}), zeros({0}), zeros({0})});
  expect_run_error(
      "When is_training=false, mean must have the same number of elements as the channels of x, got 0 and 2",
      "FusedBatchNormV3", {x, zeros({2}), zeros({2}), zeros({0}), zeros({2})}, {{"is_training", false}});
  expect_run_error("input must be 4 or 5-dimensional[2,3,2]", "FusedBatchNormV3",
                   {zeros({2, 3, 2}), zeros({2}), zeros({2}), zeros({0}), zeros({0})});
}

/// sum(y * weight) for some weights, in float.
double weighted(const Array& y) {
  double sum = 0;
  for (int64_t i = 0; i < y.size(); ++i) sum += y.data<float>()[i] * (static_cast<double>(i % 5) - 1.5);
  return sum;
}

// By differences: the op takes float32 only, so steps are large and the tolerance too.
TEST(FusedBatchNorm, HasItsGradient) {
  const Shape shape{2, 3, 1, 2};
  for (const bool training : {true, false}) {
    std::vector<Array> inputs = {
        array({0.5f, -1, 2, 0.3f, -0.7f, 1.1f, 0.9f, -2, 0.1f, 0.4f, -1.2f, 1.5f}, shape),
        array({1.5f, 0.5f}, {2}), array({0.1f, -0.2f}, {2}), array({0.2f, 0.1f}, {2}),
        array({1.3f, 0.8f}, {2})};
    const Attrs attrs = {{"epsilon", 0.01f}, {"is_training", training}};
    const std::vector<Array> out = run_op_all("FusedBatchNormV3", inputs, {.attrs = attrs});
    Array weights(DType::kFloat32, shape);
    for (int64_t i = 0; i < weights.size(); ++i)
      weights.mutable_data<float>()[i] = static_cast<float>(i % 5) - 1.5f;
    const std::vector<Array> grads = run_op_all(
        "FusedBatchNormGradV3", {weights, inputs[0], inputs[1], out[3], out[4], out[5]}, {.attrs = attrs});
    for (size_t input = 0; input < 3; ++input) {
      for (int64_t i = 0; i < inputs[input].size(); ++i) {
        constexpr float kStep = 0.01f;
        const auto moved = [&](float by) {
          std::vector<Array> changed = inputs;
          changed[input].mutable_data<float>()[i] += by;
          return weighted(run_op("FusedBatchNormV3", changed, attrs));
        };
        const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
        EXPECT_NEAR(grads[input].data<float>()[i], slope, 3e-3) << training << " " << input << " " << i;
      }
    }
  }
}

TEST(FusedBatchNormV3, DoesNotReadSmallParametersAsFloat32) {
  const Array x = Array::full(DType::kBfloat16, {1, 1, 2, 2}, 3);
  const Array ones = Array::full(DType::kBfloat16, {2}, 1);
  const Array zeros(DType::kBfloat16, {2});
  try {
    const Array y = run_op("FusedBatchNormV3", {x, ones, zeros, zeros, ones},
                           {{"U", DType::kBfloat16}, {"is_training", false}, {"epsilon", 0.0f}});
    EXPECT_EQ(y, x);
  } catch (const errors::UnimplementedError&) {  // TensorFlow has no kernel of them either
  }
}

}  // namespace
}  // namespace flowray::testing
