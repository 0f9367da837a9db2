#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

const graph::Attrs kNchw = {{"data_format", std::string("NCHW")}};

TEST(BiasAdd, AddsToEachChannel) {
  const Array value = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  const Array bias = floats({10, 20, 30}, {3});
  EXPECT_EQ(run_op("BiasAdd", {value, bias}), floats({11, 22, 33, 14, 25, 36}, {2, 3}));
  EXPECT_EQ(run_op("BiasAdd", {value.reshape({1, 2, 1, 3}), bias}),
            floats({11, 22, 33, 14, 25, 36}, {1, 2, 1, 3}));
  EXPECT_EQ(run_op("BiasAdd", {value.astype(DType::kInt32), bias.astype(DType::kInt32)}),
            Array::from(std::vector<int32_t>{11, 22, 33, 14, 25, 36}, {2, 3}));
}

TEST(BiasAdd, FindsChannelsInFront) {
  const Array value = floats({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  EXPECT_EQ(run_op("BiasAdd", {value, floats({10, 20}, {2})}, kNchw),
            floats({11, 12, 23, 24, 15, 16, 27, 28}, {2, 2, 2}));
}

TEST(BiasAdd, OfNothingIsNothing) {
  EXPECT_EQ(run_op("BiasAdd", {Array(DType::kFloat32, {0, 3}), floats({1, 2, 3}, {3})}),
            Array(DType::kFloat32, {0, 3}));
  EXPECT_EQ(run_op("BiasAdd", {Array(DType::kFloat32, {2, 0}), Array(DType::kFloat32, {0})}),
            Array(DType::kFloat32, {2, 0}));
}

TEST(BiasAddGrad, SumsOverEverythingButTheChannels) {
  const Array gradient = floats({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3});
  EXPECT_EQ(run_op("BiasAddGrad", {gradient}), floats({22, 26, 30}, {3}));
  EXPECT_EQ(run_op("BiasAddGrad", {gradient}, kNchw), floats({30, 48}, {2}));
  EXPECT_EQ(run_op("BiasAddGrad", {Array(DType::kFloat32, {0, 3})}), floats({0, 0, 0}, {3}));
}

TEST(BiasAddGrad, OfManyRowsStaysExact) {
  const int64_t rows = 100001;
  const Array gradient = Array::full(DType::kFloat32, {rows, 3}, 0.1);
  const float expected = static_cast<float>(0.1f * static_cast<double>(rows));
  expect_close(run_op("BiasAddGrad", {gradient}), floats({expected, expected, expected}, {3}), 1e-5, 0);
}

/// Rows of few channels are added several at once, and what is left over one by one.
TEST(BiasAddGrad, OfAnyNumberOfChannelsAddsEachRowOnce) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32}) {
    for (const int64_t channels : {1, 2, 6, 7, 16, 31, 32, 33, 100}) {
      for (const int64_t rows : {1, 20, 127, 1001}) {
        std::vector<float> values;
        std::vector<float> sums(static_cast<size_t>(channels));
        for (int64_t i = 0; i < rows * channels; ++i) {
          values.push_back(static_cast<float>(i * 37 % 11 - 5));
          sums[static_cast<size_t>(i % channels)] += values.back();
        }
        const Array gradient = Array::from(values, {rows, channels}).astype(dtype);
        EXPECT_EQ(run_op("BiasAddGrad", {gradient}), Array::from(sums, {channels}).astype(dtype));
      }
    }
  }
}

TEST(Bias, RefusesShapesInTensorFlowsWords) {
  const auto ones = [](const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); };
  EXPECT_EQ(build_error("BiasAdd", {ones({2, 3}), ones({2})}), "Dimensions must be equal, but are 3 and 2");
  EXPECT_EQ(build_error("BiasAdd", {ones({3}), ones({3})}), "Shape must be at least rank 2 but is rank 1");
  EXPECT_EQ(build_error("BiasAdd", {ones({2, 3}), ones({3})}, kNchw),
            "Shape must be at least rank 3 but is rank 2");
  EXPECT_EQ(run_error("BiasAdd", {ones({2, 3}), ones({2})}),
            "Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]");
  EXPECT_EQ(run_error("BiasAdd", {ones({3}), ones({3})}), "Input tensor must be at least 2D: [3]");
  EXPECT_EQ(run_error("BiasAdd", {ones({2, 3}), ones({1, 3})}), "Biases must be 1D: [1,3]");
  EXPECT_EQ(run_error("BiasAddGrad", {ones({3})}), "Input tensor must be at least 2D: [3]");
}

TEST(Bias, HasGradients) {
  const Array value = scattered(DType::kFloat64, {2, 3, 4});
  check_gradient("BiasAdd", {value, scattered(DType::kFloat64, {4}, 2)});
  check_gradient("BiasAdd", {value, scattered(DType::kFloat64, {3}, 2)}, {.attrs = kNchw});
  check_gradient("BiasAddGrad", {value});
  check_gradient("BiasAddGrad", {scattered(DType::kFloat64, {2, 3, 2, 2})}, {.attrs = kNchw});
}

TEST(BiasAddGrad, OfNothingIsZero) {
  const Array none(DType::kFloat32, {0, int64_t{1} << 40, int64_t{1} << 40, 3});
  EXPECT_EQ(run_op("BiasAddGrad", {none}), Array(DType::kFloat32, {3}));
}

}  // namespace
}  // namespace flowray::testing
