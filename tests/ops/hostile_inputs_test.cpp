// Inputs that once led out of memory's bounds, to a division by zero or into a loop without end. The errors
// are TensorFlow 2.21's where it has one.
#include "support/op_runner.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace flowray {
namespace {

using ::testing::HasSubstr;
using testing::run_op;

Array ints(std::vector<int32_t> values) { return Array(values); }

/// What is said of inputs that are known only when the step runs.
std::string refusal(const std::string& op, const std::vector<Array>& inputs, graph::Attrs attrs = {}) {
  try {
    (void)testing::run_op_all(op, inputs, {.attrs = std::move(attrs), .unknown_shapes = true});
  } catch (const Error& error) {
    return error.message();
  }
  return "nothing was thrown";
}

TEST(HostileInputs, AnImageIsNotShrunkToNothing) {
  const Array gradient(DType::kFloat32, {1, 2, 2, 3});
  EXPECT_THAT(refusal("ResizeNearestNeighborGrad", {gradient, ints({0, 0})}),
              HasSubstr("shape_t's elements must be positive"));
  EXPECT_THAT(refusal("ResizeNearestNeighbor", {gradient, ints({0, 2})}), HasSubstr("must be positive"));
}

TEST(HostileInputs, RowsOfAnImageWithoutColumnsAreNotCounted) {
  const int64_t many = int64_t{1} << 59;
  const Array image(DType::kFloat32, {1, 2, 3, 1});
  const Array nothing(DType::kFloat32, {1, many, 0, 1});
  EXPECT_EQ(run_op("ResizeBilinearGrad", {nothing, image}), image);
  EXPECT_EQ(run_op("ResizeBicubicGrad", {nothing, image}), image);
}

TEST(HostileInputs, ZetaOfInfinityIsInfinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Array x = Array(std::vector<float>{infinity, 1e20f, infinity});
  const Array q = Array(std::vector<float>{-1.0f, -infinity, 0.5f});
  EXPECT_EQ(run_op("Zeta", {x, q}), Array(std::vector<float>{infinity, infinity, infinity}));
}

TEST(HostileInputs, PolygammaOfInfinityIsInfinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Array n = Array(std::vector<float>{infinity, 1e30f, infinity, infinity});
  const Array x = Array(std::vector<float>{-1.0f, 0.0f, -infinity, 0.5f});
  EXPECT_EQ(run_op("Polygamma", {n, x}), Array(std::vector<float>(4, infinity)));
}

TEST(HostileInputs, SegmentsWithoutElementsAreNotCounted) {
  const int64_t many = int64_t{1} << 50;
  const std::vector<Array> inputs = {Array(DType::kFloat32, {2, 0}), ints({0, 1}), Array(many)};
  EXPECT_EQ(run_op("UnsortedSegmentSum", inputs).shape(), (Shape{many, 0}));
}

TEST(HostileInputs, BlocksAreCountedWithoutOverflow) {
  const Array x(DType::kFloat32, {4, 1, 1, 1});
  const Array crops(DType::kInt64, {2, 2});
  const Array blocks = Array(std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 32});
  EXPECT_THAT(refusal("BatchToSpaceND", {x, blocks, crops}),
              HasSubstr("caused by overflow when multiplying 4294967296 and 4294967296"));
  EXPECT_THAT(refusal("SpaceToBatchND", {x, blocks, crops}),
              HasSubstr("caused by overflow when multiplying 4294967296 and 4294967296"));
  EXPECT_THAT(refusal("DepthToSpace", {x}, {{"block_size", int64_t{1} << 32}}),
              HasSubstr("out of range for an int32"));
}

TEST(HostileInputs, ScalarsOfDiagonalsAreScalars) {
  const Array rows(DType::kFloat32, {2, 3});
  const Array none(DType::kInt32, {0});
  const Array no_value(DType::kFloat32, {0});
  EXPECT_THAT(refusal("MatrixDiagV2", {rows, ints({0}), none, Array(-1), Array(0.0f)}),
              HasSubstr("num_rows must be a scalar"));
  EXPECT_THAT(refusal("MatrixDiagV2", {rows, ints({0}), Array(-1), none, Array(0.0f)}),
              HasSubstr("num_cols must be a scalar"));
  EXPECT_THAT(refusal("MatrixDiagV2", {rows, ints({0}), Array(-1), Array(-1), no_value}),
              HasSubstr("must be a scalar"));
  EXPECT_THAT(refusal("MatrixDiagPartV2", {rows, ints({0}), no_value}), HasSubstr("Padding must be scalar."));
}

TEST(HostileInputs, AHistogramOfARangeWithoutEndHasOneBin) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Array counts =
      run_op("HistogramFixedWidth", {Array({infinity, 1.0f}), Array({0.0f, infinity}), Array(3)});
  EXPECT_EQ(counts, ints({2, 0, 0}));
}

TEST(HostileInputs, NumbersAreDrawnWithARateThatIsNone) {
  const Array rates({std::nanf(""), 1e30f});
  const Array drawn =
      run_op("RandomPoissonV2", {ints({1}), rates}, {{"seed", int64_t{1}}, {"dtype", DType::kInt32}});
  EXPECT_EQ(drawn, Array(std::vector<int32_t>{0, std::numeric_limits<int32_t>::max()}).reshape({1, 2}));
}

TEST(HostileInputs, QuantilesOutsideOfZeroToOneAreNone) {
  const Array quantiles = run_op("Ndtri", {Array({-1.0f, 1.5f, 0.5f})});
  EXPECT_TRUE(std::isnan(quantiles.data<float>()[0]));
  EXPECT_TRUE(std::isnan(quantiles.data<float>()[1]));
  EXPECT_EQ(quantiles.data<float>()[2], 0.0f);
}

TEST(HostileInputs, MoreElementsThanMemoryCanHoldAreAnError) {
  const int32_t side = 1 << 30;  // side * side * 4 float32 are 2^64 bytes
  const Array x(DType::kFloat32, {1, 1, 1, 4});
  const Array size = ints({side, side});
  EXPECT_THAT(refusal("ResizeNearestNeighbor", {x, size}), HasSubstr("OOM when allocating tensor"));
}

}  // namespace
}  // namespace flowray
