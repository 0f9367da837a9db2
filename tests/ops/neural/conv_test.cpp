#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

using Ints = std::vector<int64_t>;

struct ConvOptions {
  std::string padding = "VALID";
  Ints strides = {1, 1, 1, 1};
  Ints dilations = {1, 1, 1, 1};
  Ints explicit_paddings = {};
  std::string data_format = "NHWC";
};

graph::Attrs attrs_of(const ConvOptions& options) {
  return {{"padding", options.padding},
          {"strides", options.strides},
          {"dilations", options.dilations},
          {"explicit_paddings", options.explicit_paddings},
          {"data_format", options.data_format}};
}

Array ones(const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); }
Array sizes(const std::vector<int32_t>& values) { return Array(values); }

/// 1 to 9 in a square.
Array square() { return floats({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3, 1}); }
/// Upper left less lower right.
Array difference() { return floats({1, 0, 0, -1}, {2, 2, 1, 1}); }

TEST(Conv2D, MovesTheFilterOverTheImage) {
  EXPECT_EQ(run_op("Conv2D", {square(), difference()}, attrs_of({})), floats({-4, -4, -4, -4}, {1, 2, 2, 1}));
}

TEST(Conv2D, PadsMoreAfterThanBefore) {
  EXPECT_EQ(run_op("Conv2D", {square(), difference()}, attrs_of({.padding = "SAME"})),
            floats({-4, -4, 3, -4, -4, 6, 7, 8, 9}, {1, 3, 3, 1}));
}

TEST(Conv2D, PadsAsTold) {
  const Ints before_the_rows = {0, 0, 1, 0, 0, 0, 0, 0};
  EXPECT_EQ(run_op("Conv2D", {square(), difference()},
                   attrs_of({.padding = "EXPLICIT", .explicit_paddings = before_the_rows})),
            floats({-2, -3, -4, -4, -4, -4}, {1, 3, 2, 1}));
}

TEST(Conv2D, Strides) {
  EXPECT_EQ(
      run_op("Conv2D", {square(), difference()}, attrs_of({.padding = "SAME", .strides = {1, 2, 1, 1}})),
      floats({-4, -4, 3, 7, 8, 9}, {1, 2, 3, 1}));
}

TEST(Conv2D, Dilates) {
  EXPECT_EQ(run_op("Conv2D", {square(), difference()}, attrs_of({.dilations = {1, 2, 2, 1}})),
            floats({1 - 9}, {1, 1, 1, 1}));
}

TEST(Conv2D, SumsOverChannels) {
  const Array image = floats({1, 10, 2, 20}, {1, 1, 2, 2});
  const Array filter = floats({1, 2, 3, 4, 5, 6}, {1, 1, 2, 3});
  EXPECT_EQ(run_op("Conv2D", {image, filter}, attrs_of({})),
            floats({41, 52, 63, 82, 104, 126}, {1, 1, 2, 3}));
  EXPECT_EQ(run_op("Conv2D", {image.astype(DType::kInt32), filter.astype(DType::kInt32)}, attrs_of({})),
            floats({41, 52, 63, 82, 104, 126}, {1, 1, 2, 3}).astype(DType::kInt32));
}

TEST(Conv2D, WorksInGroupsWhereTheFilterHasFewerChannels) {
  const Array image = floats({1, 2, 3, 4}, {1, 1, 1, 4});
  const Array filter =
      floats({1, 2, 10, 20}, {1, 1, 2, 2});  // output 0 of channels 0 and 1, output 1 of 2 and 3
  EXPECT_EQ(run_op("Conv2D", {image, filter}, attrs_of({})),
            floats({1 * 1 + 2 * 10, 3 * 2 + 4 * 20}, {1, 1, 1, 2}));
}

TEST(Conv2D, OfAnImageThatIsTooSmallIsEmptyWhenItRuns) {
  const std::vector<Array> inputs = {ones({1, 2, 5, 2}), ones({3, 3, 2, 4})};
  EXPECT_EQ(build_error("Conv2D", inputs, attrs_of({})),
            "Negative dimension size caused by subtracting 3 from 2");
  const Array out = run_op_all("Conv2D", inputs, {.attrs = attrs_of({}), .unknown_shapes = true})[0];
  EXPECT_EQ(out.shape(), Shape({1, 0, 3, 4}));
  EXPECT_EQ(
      run_error("Conv2D", {ones({1, 1, 5, 2}), ones({4, 3, 2, 4})}, attrs_of({})),
      "Computed output size would be negative: -2 [input_size: 1, effective_filter_size: 4, stride: 1]");
}

TEST(Conv2D, OfNoImagesIsEmpty) {
  EXPECT_EQ(run_op("Conv2D", {ones({0, 5, 5, 2}), ones({3, 3, 2, 4})}, attrs_of({})).shape(),
            Shape({0, 3, 3, 4}));
}

TEST(Conv2D, RefusesShapesInTensorFlowsWords) {
  const Array image = ones({1, 5, 5, 2});
  EXPECT_EQ(build_error("Conv2D", {image, ones({3, 3, 3, 4})}, attrs_of({})),
            "Depth of input (2) is not a multiple of input depth of filter (3)");
  EXPECT_EQ(build_error("Conv2D", {ones({1, 5, 5, 4}), ones({3, 3, 2, 3})}, attrs_of({})),
            "Depth of output (3) is not a multiple of the number of groups (2)");
  EXPECT_EQ(build_error("Conv2D", {ones({5, 5, 2}), ones({3, 3, 2, 4})}, attrs_of({})),
            "Shape must be rank 4 but is rank 3");
  EXPECT_EQ(run_error("Conv2D", {image, ones({3, 3, 3, 4})}, attrs_of({})),
            "input depth must be evenly divisible by filter depth: 2 vs 3");
  EXPECT_EQ(run_error("Conv2D", {ones({5, 5, 2}), ones({3, 3, 2, 4})}, attrs_of({})),
            "convolution input must be 4-dimensional: [5,5,2]");
}

TEST(Conv2D, RefusesAttributesInTensorFlowsWords) {
  const std::vector<Array> inputs = {ones({1, 5, 5, 2}), ones({3, 3, 2, 4})};
  EXPECT_EQ(build_error("Conv2D", inputs, attrs_of({.strides = {1, 0, 1, 1}})),
            "Stride must be > 0, but got 0");
  EXPECT_EQ(build_error("Conv2D", inputs, attrs_of({.strides = {1, 1, 1}})),
            "Conv2D on data format NHWC requires the stride attribute to contain 4 values, but got: 3");
  EXPECT_EQ(build_error("Conv2D", inputs, attrs_of({.dilations = {1, 0, 1, 1}})),
            "Dilation rate must be >= 1, but got 0");
  EXPECT_EQ(build_error("Conv2D", inputs, attrs_of({.padding = "EXPLICIT"})),
            "explicit_paddings attribute must contain 8 values, but got: 0");
  EXPECT_EQ(build_error("Conv2D", inputs,
                        attrs_of({.padding = "EXPLICIT", .explicit_paddings = {1, 0, 1, 0, 0, 0, 0, 0}})),
            "Nonzero explicit padding in the batch or depth dimensions is not supported");
}

TEST(Conv2D, RunsNhwcOnly) {
  const auto run = [&] {
    run_op("Conv2D", {ones({1, 2, 5, 5}), ones({3, 3, 2, 4})}, attrs_of({.data_format = "NCHW"}));
  };
  EXPECT_EQ(
      error_of<errors::UnimplementedError>(run),
      "The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: "
      "NCHW");
}

TEST(Conv2DBackpropInput, SpreadsEachGradientOverItsWindow) {
  const Array gradient = floats({1, 2, 3, 4}, {1, 2, 2, 1});
  const Array filter = floats({1, 10, 100, 1000}, {2, 2, 1, 1});
  EXPECT_EQ(run_op("Conv2DBackpropInput", {sizes({1, 3, 3, 1}), filter, gradient}, attrs_of({})),
            floats({1, 12, 20, 103, 1234, 2040, 300, 3400, 4000}, {1, 3, 3, 1}));
  EXPECT_EQ(run_op("Conv2DBackpropInput", {sizes({3, 3}), filter, gradient}, attrs_of({})).shape(),
            Shape({1, 3, 3, 1}));
}

TEST(Conv2DBackpropFilter, SumsWhatEachTapSaw) {
  const Array gradient = floats({1, 0, 0, 10}, {1, 2, 2, 1});
  EXPECT_EQ(run_op("Conv2DBackpropFilter", {square(), sizes({2, 2, 1, 1}), gradient}, attrs_of({})),
            floats({51, 62, 84, 95}, {2, 2, 1, 1}));
}

TEST(Conv2DBackprop, RefusesShapesInTensorFlowsWords) {
  const Array filter = ones({3, 3, 2, 4});
  const Array in_sizes = sizes({1, 5, 5, 2});
  EXPECT_EQ(run_error("Conv2DBackpropInput", {in_sizes, filter, ones({1, 3, 3, 3})}, attrs_of({})),
            "Conv2DCustomBackpropInput: filter and out_backprop must have the same out_depth");
  EXPECT_EQ(
      run_error("Conv2DBackpropInput", {in_sizes, filter, ones({1, 4, 3, 4})}, attrs_of({})),
      "Conv2DCustomBackpropInput: Size of out_backprop doesn't match computed: actual = 4, computed = 3 "
      "spatial_dim: 1 input: 5 filter: 3 output: 4 stride: 1 dilation: 1");
  EXPECT_EQ(
      run_error("Conv2DBackpropFilter", {ones({1, 5, 5, 2}), sizes({3, 3, 2, 4}), ones({2, 3, 3, 4})},
                attrs_of({})),
      "Conv2DCustomBackpropFilter: input and out_backprop must have the same batch size. Input batch: 1, "
      "outbackprop batch: 2, batch_dim: 0");
  EXPECT_EQ(build_error("Conv2DBackpropInput", {in_sizes, filter, ones({1, 3, 3, 3})}, attrs_of({})),
            "Dimensions must be equal, but are 3 and 4");
}

TEST(Conv2D, HasAGradient) {
  const Array image = scattered(DType::kFloat64, {2, 5, 4, 2});
  const Array filter = scattered(DType::kFloat64, {3, 2, 2, 3}, 2);
  const ConvOptions variants[] = {{},
                                  {.padding = "SAME"},
                                  {.padding = "SAME", .strides = {1, 2, 3, 1}},
                                  {.padding = "SAME", .dilations = {1, 1, 2, 1}},
                                  {.padding = "EXPLICIT", .explicit_paddings = {0, 0, 2, 1, 0, 3, 0, 0}}};
  for (const ConvOptions& options : variants)
    check_gradient("Conv2D", {image, filter}, {.attrs = attrs_of(options)});
  const Array grouped = scattered(DType::kFloat64, {2, 2, 1, 4}, 3);
  check_gradient("Conv2D", {scattered(DType::kFloat64, {1, 4, 3, 2}), grouped}, {.attrs = attrs_of({})});
}

TEST(Conv2DBackprop, HasGradients) {
  const Array gradient = scattered(DType::kFloat64, {1, 2, 4, 3});
  const graph::Attrs attrs = attrs_of({.padding = "SAME", .strides = {1, 2, 1, 1}});
  check_gradient("Conv2DBackpropInput",
                 {sizes({1, 4, 4, 2}), scattered(DType::kFloat64, {3, 2, 2, 3}, 2), gradient},
                 {.attrs = attrs});
  check_gradient("Conv2DBackpropFilter",
                 {scattered(DType::kFloat64, {1, 4, 4, 2}), sizes({3, 2, 2, 3}), gradient}, {.attrs = attrs});
}

TEST(Conv2D, CountsStridesAndDilationsInInts) {
  const Array filter = ones({3, 1, 1, 1});
  EXPECT_EQ(build_error("Conv2D", {square(), filter}, attrs_of({.strides = {1, 3'000'000'000, 1, 1}})),
            "Attr strides has value 3000000000 out of range for an int32");
  EXPECT_EQ(build_error("Conv2D", {square(), filter}, attrs_of({.dilations = {1, INT64_MAX, 1, 1}})),
            "Attr dilations has value 9223372036854775807 out of range for an int32");
}

TEST(Conv2D, DilatesByTheGreatestIntWithoutAnImageOfThatSize) {
  const ConvOptions far{.padding = "SAME", .dilations = {1, INT32_MAX, INT32_MAX, 1}};
  const Array image = ones({1, 2, 2, 1});
  const Array filter = floats({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3, 1, 1});
  // Only the filter's centre ever lies over the image.
  EXPECT_EQ(run_op("Conv2D", {image, filter}, attrs_of(far)), Array::full(DType::kFloat32, {1, 2, 2, 1}, 5));
  EXPECT_EQ(run_op("Conv2DBackpropInput", {sizes({1, 2, 2, 1}), filter, image}, attrs_of(far)),
            Array::full(DType::kFloat32, {1, 2, 2, 1}, 5));
  EXPECT_EQ(run_op("Conv2DBackpropFilter", {image, sizes({3, 3, 1, 1}), image}, attrs_of(far)),
            floats({0, 0, 0, 0, 4, 0, 0, 0, 0}, {3, 3, 1, 1}));
}

TEST(Conv2D, RefusesPaddingsThatDoNotFitASize) {
  const ConvOptions huge{.padding = "EXPLICIT",
                         .explicit_paddings = {0, 0, INT64_MAX, INT64_MAX, 0, 0, 0, 0}};
  EXPECT_EQ(run_error("Conv2D", {square(), difference()}, attrs_of(huge)),
            "Dimension size overflow from adding 3 and 9223372036854775807");
}

TEST(Conv2D, IsDoneAtOnceWhereThereAreNoImages) {
  constexpr int64_t kTall = int64_t{1} << 40;
  const Array none(DType::kFloat32, {0, kTall, 3, 1});
  EXPECT_EQ(run_op("Conv2D", {none, difference()}, attrs_of({.padding = "SAME"})).shape(), none.shape());
  EXPECT_EQ(run_op("Conv2DBackpropFilter", {none, sizes({2, 2, 1, 1}), none}, attrs_of({.padding = "SAME"})),
            Array(DType::kFloat32, {2, 2, 1, 1}));
}

TEST(Conv2DBackpropInput, HasWholeGroups) {
  EXPECT_EQ(run_error("Conv2DBackpropInput", {sizes({1, 1, 1, 4}), ones({1, 1, 2, 3}), ones({1, 1, 1, 3})},
                      attrs_of({})),
            "Conv2DCustomBackpropInput: output depth must be evenly divisible by number of groups: 3 vs 2");
}

}  // namespace
}  // namespace flowray::testing
