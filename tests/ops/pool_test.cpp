#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

using Ints = std::vector<int64_t>;

struct PoolOptions {
  Ints ksize = {1, 2, 2, 1};
  Ints strides = {1, 2, 2, 1};
  std::string padding = "SAME";
  std::string data_format = "NHWC";
};

graph::Attrs attrs_of(const PoolOptions& options) {
  return {{"ksize", options.ksize},
          {"strides", options.strides},
          {"padding", options.padding},
          {"data_format", options.data_format}};
}

Array ones(const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); }

/// 0 to 8 in a square.
Array square() { return floats({0, 1, 2, 3, 4, 5, 6, 7, 8}, {1, 3, 3, 1}); }

TEST(AvgPool, AveragesWhatIsInsideOfTheImage) {
  EXPECT_EQ(run_op("AvgPool", {square()}, attrs_of({})), floats({2, 3.5, 6.5, 8}, {1, 2, 2, 1}));
  EXPECT_EQ(run_op("AvgPool", {square()}, attrs_of({.padding = "VALID"})), floats({2}, {1, 1, 1, 1}));
}

TEST(MaxPool, TakesTheGreatest) {
  EXPECT_EQ(run_op("MaxPool", {square()}, attrs_of({})), floats({4, 5, 7, 8}, {1, 2, 2, 1}));
  EXPECT_EQ(run_op("MaxPool", {square()}, attrs_of({.strides = {1, 1, 1, 1}, .padding = "VALID"})),
            floats({4, 5, 7, 8}, {1, 2, 2, 1}));
  const Array negative = floats({-3, -2, -5, -1}, {1, 1, 4, 1});
  EXPECT_EQ(run_op("MaxPool", {negative}, attrs_of({.ksize = {1, 1, 3, 1}, .strides = {1, 1, 1, 1}})),
            floats({-2, -2, -1, -1}, {1, 1, 4, 1}));
}

TEST(MaxPool, PadsAsToldWithLessThanAnything) {
  graph::Attrs attrs = attrs_of({.padding = "EXPLICIT"});
  attrs.set("explicit_paddings", Ints{0, 0, 1, 0, 0, 1, 0, 0});
  EXPECT_EQ(run_op("MaxPool", {Array::full(DType::kFloat32, {1, 3, 3, 1}, -1)}, attrs),
            Array::full(DType::kFloat32, {1, 2, 2, 1}, -1));
  attrs.set("explicit_paddings", Ints{0, 0, 2, 0, 0, 1, 0, 0});
  EXPECT_EQ(run_error("MaxPool", {ones({1, 3, 3, 1})}, attrs),
            "Top padding 2 needs to be smaller than the window size 2");
}

TEST(AvgPoolGrad, SharesEachGradientOut) {
  const Array gradient = floats({4, 6, 8, 10}, {1, 2, 2, 1});
  EXPECT_EQ(run_op("AvgPoolGrad", {Array(std::vector<int32_t>{1, 3, 3, 1}), gradient}, attrs_of({})),
            floats({1, 1, 3, 1, 1, 3, 4, 4, 10}, {1, 3, 3, 1}));
}

TEST(MaxPoolGrad, GivesTheGradientToTheFirstGreatest) {
  const Array in = floats({1, 3, 3, 0}, {1, 2, 2, 1});
  EXPECT_EQ(run_op("MaxPoolGrad", {in, floats({3}, {1, 1, 1, 1}), floats({5}, {1, 1, 1, 1})}, attrs_of({})),
            floats({0, 5, 0, 0}, {1, 2, 2, 1}));
}

TEST(MaxPoolGradGrad, TakesTheGradientFromTheFirstGreatest) {
  const Array in = floats({1, 3, 3, 0}, {1, 2, 2, 1});
  EXPECT_EQ(run_op("MaxPoolGradGrad", {in, floats({3}, {1, 1, 1, 1}), floats({5, 6, 7, 8}, {1, 2, 2, 1})},
                   attrs_of({})),
            floats({6}, {1, 1, 1, 1}));
}

TEST(Pooling, OfNoImagesIsEmpty) {
  for (const char* op : {"AvgPool", "MaxPool"}) {
    EXPECT_EQ(run_op(op, {ones({0, 4, 4, 3})}, attrs_of({})).shape(), Shape({0, 2, 2, 3}));
  }
}

TEST(Pooling, RefusesInTensorFlowsWords) {
  for (const char* op : {"AvgPool", "MaxPool"}) {
    EXPECT_EQ(build_error(op, {ones({4, 4, 1})}, attrs_of({})), "Shape must be rank 4 but is rank 3");
    EXPECT_EQ(build_error(op, {ones({1, 1, 1, 1})}, attrs_of({.padding = "VALID"})),
              "Negative dimension size caused by subtracting 2 from 1");
    EXPECT_EQ(build_error(op, {ones({1, 4, 4, 1})}, attrs_of({.strides = {1, 0, 2, 1}})),
              "Stride must be > 0, but got 0");
    EXPECT_EQ(error_of<errors::UnimplementedError>(
                  [&] { run_op(op, {ones({1, 4, 4, 1})}, attrs_of({.ksize = {2, 2, 2, 1}})); }),
              "Pooling is not yet supported on the batch dimension.");
  }
  EXPECT_EQ(run_error("MaxPool", {ones({1, 1, 4, 4})},
                      attrs_of({.ksize = {1, 1, 2, 2}, .strides = {1, 1, 2, 2}, .data_format = "NCHW"})),
            "Default MaxPoolingOp only supports NHWC on device type CPU");
}

TEST(PoolingGradients, RefuseShapesInTensorFlowsWords) {
  const Array in = ones({1, 4, 4, 1});
  const Array out = ones({1, 2, 2, 1});
  const Array other = ones({1, 3, 2, 1});
  EXPECT_EQ(run_error("MaxPoolGrad", {in, out, other}, attrs_of({})),
            "Expected grad shape to be [1,2,2,1], but got [1,3,2,1]");
  EXPECT_EQ(run_error("MaxPoolGrad", {in, other, out}, attrs_of({})),
            "Expected orig_output shape to be [1,2,2,1], but got [1,3,2,1]");
}

TEST(Pooling, HasGradients) {
  const Array image = scattered(DType::kFloat64, {2, 5, 4, 2});
  for (const char* op : {"AvgPool", "MaxPool"}) {
    check_gradient(op, {image}, {.attrs = attrs_of({})});
    check_gradient(op, {image},
                   {.attrs = attrs_of({.ksize = {1, 3, 2, 1}, .strides = {1, 1, 2, 1}, .padding = "VALID"})});
  }
  check_gradient("AvgPoolGrad",
                 {Array(std::vector<int32_t>{1, 4, 4, 1}), scattered(DType::kFloat64, {1, 2, 2, 1})},
                 {.attrs = attrs_of({})});
  const Array pooled = run_op("MaxPool", {image}, attrs_of({}));
  check_gradient("MaxPoolGrad", {image, pooled, scattered(DType::kFloat64, pooled.shape(), 3)},
                 {.attrs = attrs_of({}), .skip = {0, 1}});
  check_gradient("MaxPoolGradGrad", {image, pooled, scattered(DType::kFloat64, image.shape(), 3)},
                 {.attrs = attrs_of({}), .skip = {0, 1}});
}

}  // namespace
}  // namespace flowray::testing
