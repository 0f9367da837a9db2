// Counts are those of TensorFlow 2.21.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array matrix(const std::vector<int64_t>& numbers, const Shape& shape) { return Array::from(numbers, shape); }

graph::Attrs attrs_of(DType type, int64_t minlength = -1, int64_t maxlength = -1, bool binary = false) {
  return {
      {"output_type", type}, {"minlength", minlength}, {"maxlength", maxlength}, {"binary_output", binary}};
}

Array rows() { return matrix({10, 20, 30, 20, 11, 101, 11, 101}, {2, 4}); }
const Array kNone = longs({});

TEST(DenseCountSparseOutput, CountsTheNumbersOfEachRow) {
  const auto counted = [&](const Array& values, const Array& weights, const graph::Attrs& attrs) {
    return run_op_all("DenseCountSparseOutput", {values, weights}, {.attrs = attrs});
  };
  const Array places = matrix({0, 10, 0, 20, 0, 30, 1, 11, 1, 101}, {5, 2});
  using Arrays = std::vector<Array>;
  EXPECT_EQ(counted(rows(), kNone, attrs_of(DType::kInt64)),
            (Arrays{places, longs({1, 2, 1, 2, 2}), longs({2, 102})}));
  EXPECT_EQ(counted(rows(), kNone, attrs_of(DType::kInt64, -1, -1, true)),
            (Arrays{places, longs({1, 1, 1, 1, 1}), longs({2, 102})}));
  const Array weights = Array({2.f, 0.25f, 15.f, 0.5f, 2.f, 17.f, 3.f, 1.f}).reshape({2, 4});
  EXPECT_EQ(counted(rows(), weights, attrs_of(DType::kFloat32)),
            (Arrays{places, Array({2.f, 0.75f, 15.f, 5.f, 18.f}), longs({2, 102})}));
  EXPECT_EQ(counted(rows().reshape({8}), kNone, attrs_of(DType::kInt64, 30, 25)),
            (Arrays{matrix({10, 11, 20}, {3, 1}), longs({1, 2, 2}), longs({25})}));
  EXPECT_EQ(counted(rows().reshape({8}), kNone, attrs_of(DType::kInt64, 200))[2], longs({200}));
  EXPECT_EQ(counted(kNone, kNone, attrs_of(DType::kInt64)),
            (Arrays{Array(DType::kInt64, {0, 1}), kNone, longs({1})}));
}

TEST(SparseCountSparseOutput, CountsTheValuesOfEachRow) {
  const std::vector<Array> sparse = {matrix({0, 1, 1, 0, 1, 2}, {3, 2}), longs({3, 1, 1}), longs({3, 3})};
  const auto counted = [&](const Array& weights, const graph::Attrs& attrs) {
    return run_op_all("SparseCountSparseOutput", {sparse[0], sparse[1], sparse[2], weights},
                      {.attrs = attrs});
  };
  const Array places = matrix({0, 3, 1, 1}, {2, 2});
  using Arrays = std::vector<Array>;
  EXPECT_EQ(counted(kNone, attrs_of(DType::kInt64)), (Arrays{places, longs({1, 2}), longs({3, 4})}));
  EXPECT_EQ(counted(Array({1.f, 2.f, 0.5f}), attrs_of(DType::kFloat32)),
            (Arrays{places, Array({1.f, 2.5f}), longs({3, 4})}));
  EXPECT_EQ(counted(kNone, attrs_of(DType::kInt64, 5, -1, true)),
            (Arrays{places, longs({1, 1}), longs({3, 5})}));
}

TEST(DenseCountSparseOutput, RefusesWhatItCannotCount) {
  const graph::Attrs attrs = attrs_of(DType::kInt64);
  expect_run_error("Input values must all be non-negative", "DenseCountSparseOutput", {longs({-1}), kNone},
                   attrs);
  expect_run_error("Input must be a 1 or 2-dimensional tensor. Got: [1,1,1]", "DenseCountSparseOutput",
                   {matrix({0}, {1, 1, 1}), kNone}, attrs);
  expect_build_error("Dimension 0 in both shapes must be equal, but are 2 and 8. Shapes are [2] and [8].",
                     "DenseCountSparseOutput", {rows().reshape({8}), longs({1, 2})}, attrs);
}

TEST(SparseCountSparseOutput, RefusesPartsThatDoNotFit) {
  const graph::Attrs attrs = attrs_of(DType::kFloat32);
  const Array none(DType::kFloat32, {0});
  const auto fails = [&](const std::string& text, const std::vector<Array>& inputs) {
    expect_run_error(text, "SparseCountSparseOutput", inputs, attrs);
  };
  fails("Weights and values must have the same shape. Weight shape: [2]; values shape: [1]",
        {matrix({0, 1}, {1, 2}), longs({1}), longs({2, 2}), Array({1.f, 2.f})});
  fails(
      "Invalid index value at 0: dimension 1 has value 5 which is not in [0, 2) (as given by dense shape "
      "Tensor<type: int64 shape: [2] values: 2 2>",
      {matrix({0, 5}, {1, 2}), longs({1}), longs({2, 2}), none});
  fails("Number of values must match first dimension of indices.Got 2 values, indices shape: [1,2]",
        {matrix({0, 1}, {1, 2}), longs({1, 2}), longs({2, 2}), none});
  fails("Number of dimensions must match second dimension of indices.Got 3 dimensions, indices shape: [1,2]",
        {matrix({0, 1}, {1, 2}), longs({1}), longs({2, 2, 2}), none});
  fails("Input indices must be a 2-dimensional tensor. Got: [1]",
        {longs({0}), longs({1}), longs({2, 2}), none});
  fails("Input values must be a vector. Got: [1,1]",
        {matrix({0, 1}, {1, 2}), matrix({1}, {1, 1}), longs({2, 2}), none});
  fails("Input shape must be a vector. Got: [1,2]",
        {matrix({0, 1}, {1, 2}), longs({1}), matrix({2, 2}, {1, 2}), none});
  expect_run_error("Weights and data must have the same shape. Weight shape: [3]; data shape: [2]",
                   "DenseCountSparseOutput", {longs({1, 2}), Array({1.f, 2.f, 3.f})}, attrs);
}

}  // namespace
}  // namespace flowray::testing
