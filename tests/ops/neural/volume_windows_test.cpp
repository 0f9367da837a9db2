// Convolutions and pools of three dimensions: sums by hand, gradients by differences.

#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

graph::Attrs moves(std::vector<int64_t> strides, std::string padding) {
  return {{"strides", std::vector<int64_t>{1, strides[0], strides[1], strides[2], 1}},
          {"padding", std::move(padding)}};
}

graph::Attrs pool_moves(std::vector<int64_t> window, std::vector<int64_t> strides, std::string padding) {
  graph::Attrs attrs = moves(std::move(strides), std::move(padding));
  attrs.set("ksize", std::vector<int64_t>{1, window[0], window[1], window[2], 1});
  return attrs;
}

Array ones(const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); }

TEST(Conv3D, AddsWhatLiesUnderTheFilter) {
  const Array cube = ones({1, 2, 2, 2, 1});
  const Array filter = ones({2, 2, 2, 1, 1});
  EXPECT_EQ(run_op("Conv3D", {cube, filter}, moves({1, 1, 1}, "VALID")), floats({8}, {1, 1, 1, 1, 1}));
  // Padded behind: a corner, edges, faces and the whole cube.
  EXPECT_EQ(run_op("Conv3D", {cube, filter}, moves({1, 1, 1}, "SAME")),
            floats({8, 4, 4, 2, 4, 2, 2, 1}, {1, 2, 2, 2, 1}));
}

TEST(Conv3D, HasGradients) {
  const Array volume = scattered(DType::kFloat64, {2, 3, 4, 3, 2});
  const Array filter = scattered(DType::kFloat64, {2, 3, 2, 2, 3}, 2);
  for (const graph::Attrs& attrs :
       {moves({1, 1, 1}, "SAME"), moves({2, 1, 2}, "VALID"), moves({1, 3, 2}, "SAME")}) {
    check_gradient("Conv3D", {volume, filter}, {.attrs = attrs});
  }
  const Array gradient = scattered(DType::kFloat64, {2, 3, 4, 3, 3}, 3);
  const Array volume_sizes(std::vector<int32_t>{2, 3, 4, 3, 2});
  const Array filter_sizes(std::vector<int32_t>{2, 3, 2, 2, 3});
  check_gradient("Conv3DBackpropInputV2", {volume_sizes, filter, gradient},
                 {.attrs = moves({1, 1, 1}, "SAME")});
  check_gradient("Conv3DBackpropFilterV2", {volume, filter_sizes, gradient},
                 {.attrs = moves({1, 1, 1}, "SAME")});
}

TEST(Conv3D, RefusesGradientsOfAnotherSize) {
  const Array sizes(std::vector<int32_t>{1, 3, 3, 3, 2});
  const Array filter = scattered(DType::kFloat32, {2, 2, 2, 2, 2});
  for (const Shape& shape : {Shape{1, 3, 3, 3, 3}, Shape{2, 3, 3, 3, 2}, Shape{1, 3, 2, 3, 2}}) {
    EXPECT_THROW(run_op("Conv3DBackpropInputV2", {sizes, filter, scattered(DType::kFloat32, shape)},
                        moves({1, 1, 1}, "SAME")),
                 errors::InvalidArgumentError);
  }
}

TEST(AvgPool3D, DividesByWhatIsThere) {
  const Array volume = floats({0, 1, 2, 3, 4, 5}, {1, 2, 1, 3, 1});
  EXPECT_EQ(run_op("AvgPool3D", {volume}, pool_moves({2, 1, 2}, {2, 1, 1}, "SAME")),
            floats({2, 3, 3.5f}, {1, 1, 1, 3, 1}));
  for (const graph::Attrs& attrs :
       {pool_moves({2, 3, 2}, {1, 1, 1}, "SAME"), pool_moves({2, 1, 2}, {1, 2, 1}, "VALID")}) {
    check_gradient("AvgPool3D", {scattered(DType::kFloat64, {2, 3, 3, 4, 2})}, {.attrs = attrs});
  }
}

TEST(MaxPool3D, GivesTheGradientToAllEqualMaxima) {
  const Array volume = floats({1, 4, 4, -2}, {1, 1, 2, 2, 1});
  const graph::Attrs attrs = pool_moves({1, 2, 2}, {1, 1, 1}, "VALID");
  const Array pooled = run_op("MaxPool3D", {volume}, attrs);
  EXPECT_EQ(pooled, floats({4}, {1, 1, 1, 1, 1}));
  EXPECT_EQ(run_op("MaxPool3DGrad", {volume, pooled, ones(pooled.shape())}, attrs),
            floats({0, 1, 1, 0}, {1, 1, 2, 2, 1}));
  EXPECT_EQ(run_op("MaxPool3DGradGrad", {volume, pooled, volume}, attrs), floats({4}, {1, 1, 1, 1, 1}));
}

TEST(MaxPool3D, LooksAtNoMoreOfAWindowThanThereIs) {
  const Array volume = floats({0, 1, 2, 3, 4, 5}, {1, 2, 1, 3, 1});
  const graph::Attrs far = pool_moves({INT32_MAX, INT32_MAX, INT32_MAX}, {2, 1, 3}, "SAME");
  EXPECT_EQ(run_op("MaxPool3D", {volume}, far), floats({5}, {1, 1, 1, 1, 1}));
  EXPECT_EQ(run_op("AvgPool3D", {volume}, far), floats({2.5f}, {1, 1, 1, 1, 1}));
}

TEST(Volumes, CountInInts) {
  const Array volume = ones({1, 2, 2, 2, 1});
  EXPECT_EQ(build_error("MaxPool3D", {volume}, pool_moves({1, 1, 1}, {int64_t{1} << 32, 1, 1}, "SAME")),
            "Attr strides has value 4294967296 out of range for an int32");
  EXPECT_EQ(build_error("Conv3D", {volume, volume}, moves({1, INT64_MAX, 1}, "SAME")),
            "Attr strides has value 9223372036854775807 out of range for an int32");
}

TEST(Volumes, AreDoneAtOnceWhereThereAreNone) {
  constexpr int64_t kLong = int64_t{1} << 40;
  const Array none(DType::kFloat32, {0, kLong, kLong, kLong, 1});
  EXPECT_EQ(run_op("MaxPool3D", {none}, pool_moves({2, 2, 2}, {1, 1, 1}, "SAME")).shape(), none.shape());
  EXPECT_EQ(run_op("Conv3D", {none, ones({1, 1, 1, 1, 1})}, moves({1, 1, 1}, "SAME")).shape(), none.shape());
}

}  // namespace
}  // namespace flowray::testing
