#include "ops/nn_testing.h"

#include <limits>

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

TEST(MaxPoolV2, TakesWindowsAsInputs) {
  const Array image = floats({1, 5, 2, 4, 3, 6, 9, 8, 7}, {1, 3, 3, 1});
  const Array two = Array({1, 2, 2, 1});
  const Array one = Array({1, 1, 1, 1});
  const graph::Attrs valid = {{"padding", std::string("VALID")}};
  const Array pooled = run_op("MaxPoolV2", {image, two, one}, valid);
  EXPECT_EQ(pooled, floats({5, 6, 9, 8}, {1, 2, 2, 1}));
  const Array back =
      run_op("MaxPoolGradV2", {image, pooled, floats({1, 2, 3, 4}, {1, 2, 2, 1}), two, one}, valid);
  EXPECT_EQ(back, floats({0, 1, 0, 0, 0, 2, 3, 4, 0}, {1, 3, 3, 1}));
  EXPECT_EQ(run_op("MaxPoolGradGradV2", {image, pooled, image, two, one}, valid), pooled);
  EXPECT_EQ(run_error("MaxPoolV2", {image, Array({1, 2, 2}), one}, valid),
            "Sliding window ksize field must specify 4 dimensions");
  check_gradient("MaxPoolV2", {image.astype(DType::kFloat64), two, one}, {.attrs = valid});
}

TEST(MaxPoolWithArgmax, TellsThePlacesOfTheGreatest) {
  const Array images = floats({1, 5, 2, 4, 3, 6, 9, 8, 7, 9, 0, 0, 0, 0, 0, 0, 0, 3}, {2, 3, 3, 1});
  graph::Attrs attrs = {{"padding", std::string("VALID")},
                        {"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                        {"strides", std::vector<int64_t>{1, 1, 1, 1}}};
  const auto longs = [](const std::vector<int64_t>& places) { return Array::from(places, {2, 2, 2, 1}); };
  std::vector<Array> found = run_op_all("MaxPoolWithArgmax", {images}, {.attrs = attrs});
  EXPECT_EQ(found[0], floats({5, 6, 9, 8, 9, 0, 0, 3}, {2, 2, 2, 1}));
  EXPECT_EQ(found[1], longs({1, 5, 6, 7, 0, 1, 3, 8}));
  const Array gradient = floats({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2, 1});
  const Array back = floats({0, 1, 0, 0, 0, 2, 3, 4, 0, 5, 6, 0, 7, 0, 0, 0, 0, 8}, {2, 3, 3, 1});
  EXPECT_EQ(run_op("MaxPoolGradWithArgmax", {images, gradient, found[1]}, attrs), back);
  const Array outside = longs({1, 5, 6, 7, 0, 1, 3, 9});
  EXPECT_EQ(run_error("MaxPoolGradWithArgmax", {images, gradient, outside}, attrs),
            "argmax 9 is out of range [0, 9)");
  const Array of_the_next_image = longs({9, 5, 6, 7, 0, 1, 3, 8});
  EXPECT_EQ(run_error("MaxPoolGradWithArgmax", {images, gradient, of_the_next_image}, attrs),
            "argmax 9 is out of range [0, 9)");
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(
      run_error("MaxPoolGradWithArgmax", {images, gradient, longs({1, 5, 6, 7, 0, 1, 3, kHuge})}, attrs),
      "argmax 9223372036854775807 is out of range [0, 9)");
  attrs.set("include_batch_in_index", true);
  found = run_op_all("MaxPoolWithArgmax", {images}, {.attrs = attrs});
  EXPECT_EQ(found[1], longs({1, 5, 6, 7, 9, 10, 12, 17}));
  EXPECT_EQ(run_op("MaxPoolGradWithArgmax", {images, gradient, found[1]}, attrs), back);
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

TEST(MaxPool, CountsItsWindowsInInts) {
  EXPECT_EQ(build_error("MaxPool", {square()}, attrs_of({.ksize = {1, 3'000'000'000, 1, 1}})),
            "Attr ksize has value 3000000000 out of range for an int32");
  EXPECT_EQ(run_op("MaxPool", {square()},
                   attrs_of({.ksize = {1, INT32_MAX, INT32_MAX, 1}, .strides = {1, 3, 3, 1}})),
            floats({8}, {1, 1, 1, 1}));
}

TEST(MaxPool, OfPaddingAloneIsTheLeastNumber) {
  graph::Attrs attrs = attrs_of({.ksize = {1, 2, 1, 1}, .strides = {1, 1, 1, 1}, .padding = "EXPLICIT"});
  attrs.set("explicit_paddings", Ints{0, 0, 1, 1, 0, 0, 0, 0});
  const float least = std::numeric_limits<float>::lowest();
  EXPECT_EQ(run_op("MaxPool", {Array(DType::kFloat32, {1, 0, 2, 1})}, attrs),
            floats({least, least}, {1, 1, 2, 1}));
}

TEST(MaxPool, IsDoneAtOnceWhereThereAreNoImages) {
  const Array none(DType::kFloat32, {0, int64_t{1} << 40, 2, 1});
  const graph::Attrs attrs = attrs_of({.strides = {1, 1, 1, 1}});
  for (const char* op : {"MaxPool", "AvgPool"}) EXPECT_EQ(run_op(op, {none}, attrs).shape(), none.shape());
  EXPECT_EQ(run_op("MaxPoolGrad", {none, none, none}, attrs).shape(), none.shape());
}

}  // namespace
}  // namespace flowray::testing
