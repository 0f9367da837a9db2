// Sums are worked out by hand; errors are TensorFlow 2.21's.

#include "ops/array_testing.h"
#include "ops/nn_testing.h"

#include <cmath>

namespace flowray::testing {
namespace {

graph::Attrs dilation_attrs(const std::string& padding, std::vector<int64_t> strides = {1, 1, 1, 1},
                            std::vector<int64_t> rates = {1, 1, 1, 1}) {
  return {{"padding", padding}, {"strides", std::move(strides)}, {"rates", std::move(rates)}};
}
Array image_of(const std::vector<float>& pixels, int64_t rows, int64_t columns) {
  return Array(pixels).reshape({1, rows, columns, 1});
}
const Array kImage = image_of({1, 5, 2, 0, 3, 4, 7, 0, 6}, 3, 3);
const Array kFilter = Array({0.f, 1.f, 2.f, 0.f}).reshape({2, 2, 1});

TEST(Dilation2D, IsTheLargestSumOfAWindow) {
  EXPECT_EQ(run_op("Dilation2D", {kImage, kFilter}, dilation_attrs("VALID")), image_of({6, 5, 9, 6}, 2, 2));
  EXPECT_EQ(run_op("Dilation2D", {kImage, kFilter}, dilation_attrs("SAME")),
            image_of({6, 5, 6, 9, 6, 8, 7, 7, 6}, 3, 3));
  EXPECT_EQ(run_op("Dilation2D", {kImage, kFilter}, dilation_attrs("VALID", {1, 1, 1, 1}, {1, 2, 2, 1})),
            image_of({9}, 1, 1));
  EXPECT_EQ(run_op("Dilation2D", {kImage, kFilter}, dilation_attrs("SAME", {1, 2, 2, 1})),
            image_of({6, 6, 7, 6}, 2, 2));
}

TEST(Dilation2DBackpropInput, GoesToThePixelOfTheLargestSum) {
  const std::vector<Array> inputs = {kImage, kFilter, image_of({1, 2, 4, 8}, 2, 2)};
  EXPECT_EQ(run_op("Dilation2DBackpropInput", inputs, dilation_attrs("VALID")),
            image_of({0, 3, 0, 0, 0, 0, 4, 0, 8}, 3, 3));
  EXPECT_EQ(run_op("Dilation2DBackpropFilter", inputs, dilation_attrs("VALID")),
            Array({2.f, 1.f, 4.f, 8.f}).reshape({2, 2, 1}));
}

TEST(Dilation2D, HasTheGradientOfDifferences) {
  const auto numbers = [](const Shape& shape) {
    std::vector<double> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i)
      values.push_back(std::sin(static_cast<double>(i * i + shape.num_elements())));
    return doubles(values, shape);
  };
  check_gradient("Dilation2D", {numbers({2, 5, 4, 2}), numbers({2, 3, 2})},
                 {.attrs = dilation_attrs("SAME", {1, 2, 1, 1}, {1, 1, 2, 1})});
}

TEST(Dilation2D, RefusesWhatIsNoWindow) {
  const auto refuses = [](const Array& image, const Array& filter, const graph::Attrs& attrs,
                          const std::string& reason) {
    expect_run_error(reason, "Dilation2D", {image, filter}, attrs);
  };
  const graph::Attrs plain = dilation_attrs("VALID");
  refuses(zeros({5, 4, 2}), kFilter, plain, "input must be 4-dimensional[5,4,2]");
  refuses(kImage, zeros({2, 2}), plain, "filter must be 3-dimensional: [2,2]");
  refuses(kImage, zeros({2, 2, 3}), plain, "input and filter must have the same depth: 1 vs 3");
  refuses(kImage, kFilter, dilation_attrs("VALID", {1, 0, 1, 1}), "Stride must be > 0, but got 0");
  for (const auto& [strides, rates] : {std::pair(2, 1), std::pair(1, 2)}) {  // across the batch
    const graph::Attrs attrs = dilation_attrs("VALID", {strides, 1, 1, 1}, {rates, 1, 1, 1});
    EXPECT_THROW(run_op("Dilation2D", {kImage, kFilter}, attrs), errors::UnimplementedError);
  }
  expect_build_error("Dilation2D requires the stride attribute to contain 4 values, but got: 5", "Dilation2D",
                     {kImage, kFilter}, dilation_attrs("VALID", {1, 1, 1, 1, 1}));
  expect_build_error("Attr strides has value 1099511627776 out of range for an int32", "Dilation2D",
                     {kImage, kFilter}, dilation_attrs("VALID", {1, int64_t{1} << 40, 1, 1}));
  expect_run_error("out_backprop has incompatible size.", "Dilation2DBackpropInput",
                   {kImage, kFilter, zeros({1, 3, 3, 1})}, plain);
}

/// What TensorFlow writes beyond its arrays, or into no memory.
TEST(Dilation2D, StaysWithinItsArrays) {
  EXPECT_EQ(run_op("Dilation2D", {image_of({1}, 1, 1), kFilter}, dilation_attrs("VALID")).shape(),
            (Shape{1, 0, 0, 1}));
  const Array no_filter = zeros({0, 0, 1});
  const Array grad = run_op("Dilation2D", {kImage, no_filter}, dilation_attrs("VALID"));
  EXPECT_EQ(grad.shape(), (Shape{1, 4, 4, 1}));
  EXPECT_EQ(
      run_op("Dilation2DBackpropInput", {kImage, no_filter, zeros({1, 4, 4, 1})}, dilation_attrs("VALID")),
      zeros({1, 3, 3, 1}));
  const auto with_rates = [](int64_t rate) {
    return run_op("Dilation2D", {kImage, kFilter}, dilation_attrs("VALID", {1, 1, 1, 1}, {1, rate, rate, 1}));
  };
  EXPECT_THROW(with_rates(INT32_MIN), errors::ResourceExhaustedError);
  EXPECT_THROW(with_rates(INT32_MAX), ValueError);  // Computed output size would be negative
}

}  // namespace
}  // namespace flowray::testing
