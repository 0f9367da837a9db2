// Gradients of special functions, segments, scatters, rearranged pixels, diagonals, products and images,
// against finite differences; and what their errors say.

#include "ops/array_testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace flowray::testing {
namespace {

/// Repeatable values in [low, high).
Array doubles(const Shape& shape, double low = -1, double high = 1, unsigned seed = 1) {
  std::mt19937 random(seed + static_cast<unsigned>(shape.num_elements()));
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (double& value : values) value = low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  return Array::from(values, shape);
}

TEST(NumericGradients, OfSpecialFunctionsAreTheirSlopes) {
  check_gradient("Asinh", {doubles({2, 3})});
  check_gradient("Acosh", {doubles({2, 3}, 1.5, 4)});
  check_gradient("Atanh", {doubles({2, 3}, -0.8, 0.8)});
  check_gradient("Lgamma", {doubles({2, 3}, 0.5, 4)});
  check_gradient("Digamma", {doubles({2, 3}, 0.5, 4)});
  check_gradient("Erfinv", {doubles({2, 3}, -0.8, 0.8)});
  check_gradient("Ndtri", {doubles({2, 3}, 0.2, 0.8)});
  check_gradient("BesselI0e", {doubles({2, 3}, 0.5, 4)});
  check_gradient("BesselI1e", {doubles({2, 3}, 0.5, 4)});
  check_gradient("Igamma", {doubles({2, 3}, 1, 4), doubles({3}, 1, 4)}, {.tolerance = 1e-4});
  check_gradient("Igammac", {doubles({2, 3}, 1, 4), doubles({3}, 1, 4)}, {.tolerance = 1e-4});
  check_gradient("Betainc", {doubles({3}, 1, 4), doubles({3}, 1, 4, 2), doubles({3}, 0.2, 0.8)},
                 {.skip = {0, 1}});
  check_gradient("Xlogy", {doubles({2, 3}, 0.5, 2), doubles({3}, 0.5, 2)});
  check_gradient("Xlog1py", {doubles({2, 3}, 0.5, 2), doubles({3}, 0.5, 2)});
  check_gradient("Xdivy", {doubles({2, 3}, 0.5, 2), doubles({3}, 0.5, 2)});
  check_gradient("MulNoNan", {doubles({2, 3}), doubles({3}, 0.5, 2)});
  check_gradient("Cross", {doubles({2, 3}), doubles({2, 3}, -1, 1, 2)});
  check_gradient("BiasAddV1", {doubles({2, 3}), doubles({3})});
}

TEST(NumericGradients, OfFunctionsWithAnOrderFollowTheirArgument) {
  check_gradient("Polygamma", {Array(std::vector<double>{1, 2}), doubles({2}, 1, 4)}, {.skip = {0}});
  check_gradient("Zeta", {Array(std::vector<double>{2, 3}), doubles({2}, 1, 4)}, {.skip = {0}});
}

TEST(NumericGradients, OfSegmentsGoToTheirRows) {
  const Array sorted = int_vector({0, 0, 1, 3, 3});
  const Array unsorted = int_vector({1, 0, -1, 1, 0});  // no segment is empty, for whose extreme is infinite
  for (const char* op : {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"}) {
    check_gradient(op, {doubles({5, 2}), sorted});
  }
  for (const char* op :
       {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"}) {
    check_gradient(op, {doubles({5, 2}), unsorted, Array(int32_t{2})});
  }
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    check_gradient(op, {doubles({4, 2}), int_vector({3, 0, 1, 3}), int_vector({0, 0, 1, 2})});
  }
}

// A product with one zero has a slope there; with two it has none anywhere.
TEST(NumericGradients, OfProductsOfSegmentsKnowZeros) {
  const Array data = Array(std::vector<double>{0, 2, 3, 0, 0, 5});
  check_gradient("SegmentProd", {data, int_vector({0, 0, 0, 1, 1, 1})});
}

TEST(NumericGradients, OfScattersArePicked) {
  const Array indices = int_vector({1, 3}).reshape({2, 1});
  for (const char* op : {"TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate", "TensorScatterMin",
                         "TensorScatterMax", "ScatterNdNonAliasingAdd"}) {
    check_gradient(op, {doubles({4, 2}), indices, doubles({2, 2}, -1, 1, 7)});
  }
}

TEST(NumericGradients, OfRearrangedPixelsGoBack) {
  const Array edges = int_vector({1, 0, 0, 1}).reshape({2, 2});
  check_gradient("SpaceToBatchND", {doubles({1, 3, 3, 1}), int_vector({2, 2}), edges});
  check_gradient("BatchToSpaceND", {doubles({4, 2, 2, 1}), int_vector({2, 2}), edges});
  check_gradient("SpaceToDepth", {doubles({1, 4, 2, 3})}, {.attrs = {{"block_size", int64_t{2}}}});
  check_gradient("DepthToSpace", {doubles({1, 2, 1, 4})}, {.attrs = {{"block_size", int64_t{2}}}});
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    check_gradient("MirrorPad", {doubles({3, 4}), edges}, {.attrs = {{"mode", std::string(mode)}}});
    check_gradient("MirrorPadGrad", {doubles({4, 5}), edges}, {.attrs = {{"mode", std::string(mode)}}});
  }
  check_gradient("ReverseSequence", {doubles({2, 4}), int_vector({3, 1})},
                 {.attrs = {{"seq_dim", int64_t{1}}}});
}

TEST(NumericGradients, OfMatricesFollowTheirDiagonals) {
  check_gradient("MatrixDiag", {doubles({2, 3})});
  check_gradient("MatrixDiagPart", {doubles({2, 3, 4})});
  check_gradient("MatrixSetDiag", {doubles({2, 3, 4}), doubles({2, 3}, -1, 1, 3)});
  const Array band = int_vector({-1, 1});
  check_gradient("MatrixDiagPartV3", {doubles({3, 4}), band, Array(0.0)}, {.skip = {2}});
  check_gradient("MatrixSetDiagV3", {doubles({3, 4}), doubles({3, 3}, -1, 1, 3), band});
  check_gradient("MatrixDiagV3", {doubles({3, 3}), band, Array(int32_t{3}), Array(int32_t{4}), Array(0.0)},
                 {.skip = {4}});
}

TEST(NumericGradients, OfProductsAndSystems) {
  Array matrix = doubles({2, 3, 3});
  for (int64_t i = 0; i < 6; ++i) matrix.mutable_data<double>()[i / 3 * 9 + i % 3 * 4] += 3;
  for (const bool adjoint : {false, true}) {
    for (const bool lower : {false, true}) {
      check_gradient("MatrixTriangularSolve", {matrix, doubles({1, 3, 2})},
                     {.attrs = {{"adjoint", adjoint}, {"lower", lower}}});
    }
    check_gradient("BatchMatMul", {doubles({2, 3, 3}), doubles({2, 3, 3}, -1, 1, 4)},
                   {.attrs = {{"adj_x", adjoint}, {"adj_y", !adjoint}}});
    const Array indices = Array(std::vector<int64_t>{0, 1, 2, 0}).reshape({2, 2});
    check_gradient("SparseTensorDenseMatMul",
                   {indices, doubles({2}), Array(std::vector<int64_t>{3, 3}), doubles({3, 3})},
                   {.attrs = {{"adjoint_a", adjoint}, {"adjoint_b", !adjoint}}});
  }
}

/// Far from singular, and symmetric: with eigenvalues that are well apart.
Array steep_matrices(const Shape& shape) {
  Array matrix = doubles(shape);
  const int64_t size = matrix.dim(-1);
  double* const out = matrix.mutable_data<double>();
  for (int64_t i = 0; i < matrix.size(); ++i) {
    const int64_t row = i / size % size;
    if (row == i % size) out[i] += 4.0 + 3.0 * static_cast<double>(row);
  }
  return matrix;
}

TEST(NumericGradients, OfDecompositions) {
  for (const Array& matrix : {steep_matrices({3, 3}), steep_matrices({2, 3, 3})}) {
    for (const bool adjoint : {false, true}) {
      check_gradient("MatrixInverse", {matrix}, {.attrs = {{"adjoint", adjoint}}});
      check_gradient("MatrixSolve", {matrix, matrix}, {.attrs = {{"adjoint", adjoint}}});
    }
    check_gradient("MatrixDeterminant", {matrix});
    check_gradient("LogMatrixDeterminant", {matrix});
    for (const bool vectors : {false, true})
      check_gradient("SelfAdjointEigV2", {matrix}, {.attrs = {{"compute_v", vectors}}});
    check_gradient("MatrixBandPart", {matrix, Array(int64_t{1}), Array(int64_t{0})});
  }
}

TEST(NumericGradients, OfQrDecompositions) {
  const Array square = steep_matrices({3, 3});
  check_gradient("Qr", {square});
  check_gradient("Qr", {square}, {.attrs = {{"full_matrices", true}}});
  check_gradient("Qr", {steep_matrices({2, 3, 3})});
  check_gradient("Qr", {Array::from(std::vector<double>{2, 1, 0.5, 3, -1, 0.3, 0.7, 1.5}, Shape{4, 2})});
  check_gradient("Qr", {Array::from(std::vector<double>{2, 1, 0.5, 3, -1, 0.3, 0.7, 1.5}, Shape{2, 4})});
}

TEST(NumericGradients, OfQrDecompositionsAreNotThereForAllOfATallMatrix) {
  EXPECT_THROW(check_gradient("Qr", {doubles({3, 2})}, {.attrs = {{"full_matrices", true}}}),
               errors::UnimplementedError);
}

TEST(NumericGradients, OfSingularValueDecompositions) {
  const std::vector<double> numbers = {2, 1, 0.5, 3, -1, 0.3};
  for (const Array& matrix : {steep_matrices({3, 3}), steep_matrices({2, 3, 3}),
                              Array::from(numbers, Shape{3, 2}), Array::from(numbers, Shape{2, 3})}) {
    check_gradient("Svd", {matrix});
    check_gradient("Svd", {matrix}, {.attrs = {{"compute_uv", false}}});
    check_gradient("Svd", {matrix}, {.attrs = {{"full_matrices", true}}});
  }
  EXPECT_THROW(check_gradient("Svd", {doubles({4, 2})}, {.attrs = {{"full_matrices", true}}}),
               errors::UnimplementedError);
}

// Cholesky's is spread over both triangles, though only one is read: of 1 x 1 matrices it is the slope of
// the root.
TEST(NumericGradients, OfCholeskyFactorsOfNumbersAreThoseOfRoots) {
  check_gradient("Cholesky", {doubles({3, 1, 1}, 0.5, 4)});
}

TEST(NumericGradients, OfRearrangedElementsGoBack) {
  check_gradient("Roll", {doubles({3, 4}), int_vector({1, -2}), int_vector({0, 1})});
  check_gradient("TopKV2", {doubles({3, 4}), Array(int32_t{2})});
  check_gradient("TopKV2", {doubles({5}), Array(int32_t{3})});
  check_gradient("DynamicPartition", {doubles({4, 2}), int_vector({1, 0, 1, 1})},
                 {.attrs = {{"num_partitions", int64_t{2}}}});
  check_gradient("SparseToDense",
                 {int_vector({1, 0, 2, 1}).reshape({2, 2}), int_vector({3, 2}), doubles({2}), Array(0.5)});
  check_gradient("ConjugateTranspose", {doubles({2, 3}), int_vector({1, 0})});
}

void check_einsum(const std::string& equation, const std::vector<Array>& inputs) {
  SCOPED_TRACE(equation);
  check_gradient(
      "Einsum", inputs,
      {.attrs = {
           {"equation", equation}, {"N", static_cast<int64_t>(inputs.size())}, {"T", DType::kFloat64}}});
}

TEST(Einsum, KnowsItsShapeWithoutThoseOfItsInputs) {
  const auto shape = [](const std::string& equation) {
    return built_shape("Einsum", {floats(kUnknownRank), floats({2, -1})},
                       {{"equation", equation}, {"N", int64_t{2}}, {"T", DType::kFloat32}});
  };
  EXPECT_EQ(shape("abc,de->"), "[]");
  EXPECT_EQ(shape("abc,de->ad"), "[?,2]");
  EXPECT_EQ(shape("a...,de->d"), "[2]");
  EXPECT_EQ(shape("a...,de->...d"), "<unknown>");
}

TEST(NumericGradients, OfEinsumsOfAnyLabels) {
  check_einsum("ij,jk->ik", {doubles({2, 3}), doubles({3, 4})});
  check_einsum("bij,bjk->kib", {doubles({2, 2, 3}), doubles({2, 3, 2})});
  check_einsum("...ij,jk->...ik", {doubles({2, 2, 3}), doubles({3, 2})});
  check_einsum("...a,...a->...", {doubles({2, 1, 3}), doubles({2, 3})});
  check_einsum("ij->ji", {doubles({2, 3})});
  check_einsum("ijk->j", {doubles({2, 3, 2})});
  check_einsum("ii->i", {doubles({3, 3})});
  check_einsum("ii->", {doubles({3, 3})});
  check_einsum("abc,cd->ad", {doubles({2, 3, 2}), doubles({2, 2})});
}

TEST(NumericGradients, OfImages) {
  const graph::Attrs window = {{"strides", std::vector<int64_t>{1, 2, 2, 1}},
                               {"padding", std::string("SAME")}};
  check_gradient("DepthwiseConv2dNative", {doubles({1, 4, 3, 2}), doubles({2, 3, 2, 2})}, {.attrs = window});
  check_gradient("DepthwiseConv2dNativeBackpropInput",
                 {int_vector({1, 4, 3, 2}), doubles({2, 3, 2, 2}), doubles({1, 2, 2, 4})}, {.attrs = window});
  check_gradient("DepthwiseConv2dNativeBackpropFilter",
                 {doubles({1, 4, 3, 2}), int_vector({2, 3, 2, 2}), doubles({1, 2, 2, 4})}, {.attrs = window});
  check_gradient("ResizeNearestNeighbor", {doubles({1, 2, 3, 2}), int_vector({3, 5})});
}

TEST(NumericGradients, OfBandsOfDiagonals) {
  const Array band = int_vector({-1, 1});
  check_gradient("MatrixDiagPartV2", {doubles({3, 4}), band, Array(0.0)}, {.skip = {2}});
  check_gradient("MatrixSetDiagV2", {doubles({3, 4}), doubles({3, 3}, -1, 1, 3), band});
  check_gradient("MatrixDiagV2", {doubles({3, 3}), band, Array(int32_t{3}), Array(int32_t{4}), Array(0.0)},
                 {.skip = {4}});
}

TEST(NumericGradients, OfProductsOfOneDtype) {
  for (const bool adjoint : {false, true}) {
    check_gradient("BatchMatMulV3", {doubles({2, 3, 3}), doubles({3, 3}, -1, 1, 4)},
                   {.attrs = {{"adj_x", adjoint}, {"adj_y", !adjoint}, {"Tout", DType::kFloat64}}});
  }
}

TEST(NumericGradients, OfCountedSparseSegments) {
  for (const char* op : {"SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
                         "SparseSegmentSqrtNWithNumSegments"}) {
    check_gradient(op,
                   {doubles({4, 2}), int_vector({3, 0, 1, 3}), int_vector({0, 0, 1, 2}), Array(int32_t{4})});
  }
}

TEST(NumericGradients, OfStitchedPartsAndOfPlainCopies) {
  const graph::Attrs two = {{"N", int64_t{2}}};
  check_gradient("ParallelDynamicStitch",
                 {int_vector({0, 3}), int_vector({2, 1, 4}), doubles({2, 2}), doubles({3, 2}, -1, 1, 3)},
                 {.attrs = two});
  check_gradient("CheckNumericsV2", {doubles({2, 3})}, {.attrs = {{"message", std::string("m")}}});
}

TEST(NumericGradients, OfTheLargestInEachWindow) {
  const graph::Attrs window = {{"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                               {"strides", std::vector<int64_t>{1, 2, 1, 1}},
                               {"padding", std::string("SAME")}};
  check_gradient("MaxPoolWithArgmax", {doubles({1, 4, 3, 2})}, {.attrs = window});
}

TEST(NumericGradients, OfColoursFollowTheBiggestAndTheSmallest) {
  check_gradient("RGBToHSV", {Array::from(std::vector<double>{0.2, 0.5, 0.9, 0.9, 0.5, 0.2, 0.5, 0.9, 0.2,
                                                              0.6, 0.1, 0.3, 0.3, 0.6, 0.1, 0.1, 0.3, 0.6},
                                          {3, 2, 3})});
}

// ---- errors

TEST(Segments, OutOfRangeNameTheId) {
  expect_run_error("segment ids are not increasing", "SegmentSum", {zeros({3, 2}), int_vector({1, 0, 1})});
  expect_run_error("Segment id 2 out of range [0, 2), possibly because 'segment_ids' input is not sorted.",
                   "SegmentSum", {zeros({3, 2}), int_vector({0, 2, 1})});
  expect_run_error("segment_ids should be the same size as dimension 0 of input.", "SegmentMax",
                   {zeros({3, 2}), int_vector({0, 1})});
  expect_run_error("segment_ids[1] = 7 is out of range [0, 3)", "UnsortedSegmentMax",
                   {zeros({2}), int_vector({0, 7}), Array(int32_t{3})});
}

TEST(Scatters, OutOfRangeNameTheIndex) {
  expect_run_error("indices[1] = [4] does not index into shape [4]", "TensorScatterAdd",
                   {zeros({4}), int_vector({0, 4}).reshape({2, 1}), zeros({2})});
}

TEST(ReverseSequence, ChecksLengths) {
  const graph::Attrs attrs = {{"seq_dim", int64_t{1}}};
  expect_run_error("seq_lens(1) > input.dims(1)", "ReverseSequence", {zeros({2, 3}), int_vector({1, 4})},
                   attrs);
  expect_run_error("seq_lens(0) < 0", "ReverseSequence", {zeros({2, 3}), int_vector({-1, 2})}, attrs);
}

TEST(SpaceToBatch, MustDivide) {
  expect_run_error("padded_shape[0]=3 is not divisible by block_shape[0]=2", "SpaceToBatchND",
                   {zeros({1, 3, 1}), int_vector({2}), int_vector({0, 0}).reshape({1, 2})});
  EXPECT_EQ(built_shape("SpaceToBatchND",
                        {floats({2, 4, -1}), int_vector({2}), int_vector({1, 1}).reshape({1, 2})}),
            "[4,3,?]");
}

TEST(Bitcast, ChangesTheLastDimension) {
  EXPECT_EQ(built_shape("Bitcast", {floats({2, 3})}, {{"type", DType::kUint8}}), "[2,3,4]");
  EXPECT_EQ(built_shape("Bitcast", {floats({2, 2})}, {{"type", DType::kInt64}}), "[2]");
  EXPECT_EQ(run_op("Bitcast", {Array(1.f)}, {{"type", DType::kInt32}}), Array(int32_t{0x3f800000}));
}

}  // namespace
}  // namespace flowray::testing
