// Counts and errors are those of TensorFlow 2.21.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array matrix(const std::vector<int64_t>& numbers, const Shape& shape) { return Array::from(numbers, shape); }
const Array kNoWeights = Array(DType::kFloat32, {0});

/// Of two values in row 0 and one in row 2 of three; `parts` may be changed.
std::vector<Array> sparse_parts() {
  return {matrix({0, 0, 0, 2, 2, 1}, {3, 2}), longs({1, 3, 1}), longs({3, 4}), Array(int64_t{4}), kNoWeights};
}
Array counted(const std::vector<Array>& parts, bool binary = false) {
  return run_op("SparseBincount", parts, {{"binary_output", binary}});
}

TEST(SparseBincount, CountsTheValuesOfEachRow) {
  std::vector<Array> parts = sparse_parts();
  EXPECT_EQ(counted(parts), Array({{0.f, 1.f, 0.f, 1.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, 1.f, 0.f, 0.f}}));
  parts[4] = Array({1.f, 2.f, 3.f});
  EXPECT_EQ(counted(parts), Array({{0.f, 1.f, 0.f, 2.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, 3.f, 0.f, 0.f}}));
  EXPECT_EQ(counted(parts, true), Array({{0.f, 1.f, 0.f, 1.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, 1.f, 0.f, 0.f}}));
  parts[1] = longs({1, -3, 9});  // neither has a bin
  EXPECT_EQ(counted(parts), Array({{0.f, 1.f, 0.f, 0.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, 0.f, 0.f, 0.f}}));
}

TEST(SparseBincount, CountsTheValuesOfAVector) {
  std::vector<Array> parts = sparse_parts();
  parts[0] = matrix({0, 2, 3}, {3, 1});
  parts[2] = longs({4});
  EXPECT_EQ(counted(parts), Array({0.f, 2.f, 0.f, 1.f}));
  parts[1] = longs({1, -3, 1});
  expect_run_error("Input arr must be non-negative!", "SparseBincount", parts);
}

TEST(SparseBincount, InfersItsShape) {
  const std::vector<Array> parts = sparse_parts();
  const auto refuses = [&](const Array& dims, int64_t size, const std::string& reason) {
    expect_build_error(reason, "SparseBincount", {parts[0], parts[1], dims, Array(size), parts[4]});
  };
  refuses(longs({1, 2, 3}), 4, "Input must be less than rank 2");
  refuses(longs({-3, 2}), 4, "Dimension -3 must be >= 0");
  refuses(longs({3, 2}), -1, "size (-1) must be non-negative");
  EXPECT_EQ(built_shape("SparseBincount", {parts[0], parts[1], parts[2], parts[3], parts[4]}), "[3,4]");
}

TEST(SparseBincount, RefusesWhatDoesNotFit) {
  const auto refuses = [](size_t i, const Array& part, const std::string& reason) {
    std::vector<Array> parts = sparse_parts();
    parts[i] = part;
    expect_run_error(reason, "SparseBincount", parts);
  };
  refuses(0, longs({0, 1, 2}), "Sparse indices must be rank 2 but is rank 1");
  refuses(0, matrix({0, 0, -1, 2, 2, 1}, {3, 2}),
          "Sparse index tuple indices[1, :] = [-1, 2] is out of bounds");
  refuses(1, longs({1, 3}), "Number of elements in indices (3) and values (2) do not match");
  refuses(2, longs({3}), "Index rank (2) and shape rank (1) do not match");
  refuses(2, longs({0, 4}), "Sparse index tuple indices[0, :] = [0, 0] is out of bounds");
  refuses(3, longs({1, 2}), "Shape must be rank 0 but is rank 1");
  refuses(4, Array({1.f, 2.f}), "Input indices and weights must have the same size.");
}

TEST(SparseBincount, MakesNothingOfSizesThatNoMemoryHas) {
  std::vector<Array> parts = sparse_parts();
  parts[3] = Array(INT64_MAX);
  EXPECT_THROW(counted(parts), errors::OpError);
  parts[2] = longs({INT64_MAX, 4});
  EXPECT_THROW(counted(parts), errors::OpError);
}

TEST(RaggedBincount, CountsTheValuesOfEachRow) {
  const auto of = [](const std::vector<int64_t>& splits, const Array& weights) {
    return run_op("RaggedBincount", {longs(splits), longs({1, 3, 1}), Array(int64_t{4}), weights});
  };
  EXPECT_EQ(of({0, 2, 2, 3}, kNoWeights),
            Array({{0.f, 1.f, 0.f, 1.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, 1.f, 0.f, 0.f}}));
  EXPECT_EQ(of({0, 2, 1, 3}, Array({1.f, 2.f, 3.f})),
            Array({{0.f, 1.f, 0.f, 2.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, 3.f, 0.f, 0.f}}));
  EXPECT_EQ(of({0, -2, 3}, kNoWeights), Array({{0.f, 0.f, 0.f, 0.f}, {0.f, 2.f, 0.f, 1.f}}));
}

TEST(RaggedBincount, RefusesSplitsThatDoNotFit) {
  const auto refuses = [](const std::vector<int64_t>& splits, const std::string& reason) {
    expect_run_error(reason, "RaggedBincount",
                     {longs(splits), longs({1, 3, 1}), Array(int64_t{4}), kNoWeights});
  };
  refuses({}, "Splits must be non-empty");
  refuses({1, 2, 3}, "Splits must start with 0, not with 1");
  refuses({0, 2, 7}, "Splits must end with the number of values, got 7 instead of 3");
  expect_run_error("Input must be non-negative", "RaggedBincount",
                   {longs({0, 1}), longs({-1}), Array(int64_t{4}), kNoWeights});
}

TEST(RaggedCountSparseOutput, CountsTheValuesOfEachRow) {
  const graph::Attrs attrs = {{"output_type", DType::kFloat32}, {"binary_output", false}};
  const auto of = [&](const std::vector<int64_t>& splits) {
    return run_op_all("RaggedCountSparseOutput", {longs(splits), longs({1, 3, 1}), kNoWeights},
                      {.attrs = attrs});
  };
  EXPECT_EQ(of({0, 2, 2, 3}),
            (std::vector<Array>{matrix({0, 1, 0, 3, 2, 1}, {3, 2}), Array({1.f, 1.f, 1.f}), longs({3, 4})}));
  expect_run_error("Must provide at least 2 elements for the splits argument", "RaggedCountSparseOutput",
                   {longs({0}), longs({}), kNoWeights}, attrs);
  expect_run_error("Splits must end with the number of values, got 2 instead of 3", "RaggedCountSparseOutput",
                   {longs({0, 2}), longs({1, 3, 1}), kNoWeights}, attrs);
}

}  // namespace
}  // namespace flowray::testing
