// What is expected is worked out by hand; errors are TensorFlow's (scripts/conformance compares them all).

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array rows(const std::vector<int64_t>& numbers, int64_t depth = 2) {
  return Array::from(numbers, {std::ssize(numbers) / depth, depth});
}
Array doubles(const std::vector<double>& numbers) { return Array(numbers); }

TEST(SparseReorder, SortsRowByRow) {
  const auto out = run_op_all("SparseReorder", {rows({1, 0, 0, 2, 0, 1}), doubles({1, 2, 3}), longs({2, 3})});
  EXPECT_EQ(out[0], rows({0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(out[1], doubles({3, 2, 1}));
  const auto words = run_op_all(
      "SparseReorder", {rows({1, 0, 0, 2}), Array(std::vector<std::string>{"a", "b"}), longs({2, 3})});
  EXPECT_EQ(words[1], Array(std::vector<std::string>{"b", "a"}));
  check_gradient("SparseReorder", {rows({1, 0, 0, 2, 0, 1}), doubles({1, 2, 3}), longs({2, 3})},
                 {.outputs = {1}});
}

TEST(SparseReorder, RefusesWhatDoesNotFit) {
  const auto refused = [](const char* text, const Array& indices, const Array& values, const Array& dims) {
    expect_run_error(text, "SparseReorder", {indices, values, dims});
  };
  refused("Shape rank must be SparseTensor rank.", rows({0, 0}), doubles({1}), longs({2}));
  refused("Dimension -2 must be >= 0", rows({0, 0}), doubles({1}), longs({2, -2}));
  refused("Shape [1099511627776,1099511627776] would have more than 2**63 - 1 elements", rows({0, 0}),
          doubles({1}), longs({int64_t{1} << 40, int64_t{1} << 40}));
}

TEST(SparseReshape, CountsElementsAsADenseTensorDoes) {
  const auto out = run_op_all("SparseReshape", {rows({0, 1, 1, 2}), longs({2, 3}), longs({3, -1})});
  EXPECT_EQ(out[0], rows({0, 1, 2, 1}));
  EXPECT_EQ(out[1], longs({3, 2}));
  expect_run_error("only one output dimension may be -1, not both 0 and 1", "SparseReshape",
                   {rows({0, 1}), longs({2, 3}), longs({-1, -1})});
  expect_run_error("Input to reshape is a tensor with 6 dense values, but the requested shape has 5",
                   "SparseReshape", {rows({0, 1}), longs({2, 3}), longs({5})});
  expect_run_error("Negative dimension size", "SparseReshape",
                   {rows({0, 1}), longs({2, 3}), longs({int64_t{1} << 40, int64_t{1} << 40})});
}

TEST(SparseReshape, RefusesMoreCoordinatesThanMemoryCanHold) {
  // Of no dimensions: 2^59 coordinates without a number. 32 for each of them are 2^64.
  const Array none(DType::kInt64, {int64_t{1} << 59, 0});
  EXPECT_THROW(run_op("SparseReshape", {none, longs({}), longs(std::vector<int64_t>(32, 1))}), Error);
  EXPECT_THROW(run_op("SparseReshape", {none, longs({}), longs({1})}), errors::ResourceExhaustedError);
}

TEST(SparseConcat, PutsTheValuesInOrder) {
  const auto out = run_op_all(
      "SparseConcat",
      {rows({0, 2, 1, 0}), rows({0, 1}), doubles({1, 2}), doubles({3}), longs({2, 3}), longs({2, 2})},
      {.attrs = {{"concat_dim", int64_t{-1}}, {"N", int64_t{2}}}});
  EXPECT_EQ(out[0], rows({0, 2, 0, 4, 1, 0}));
  EXPECT_EQ(out[1], doubles({1, 3, 2}));
  EXPECT_EQ(out[2], longs({2, 5}));
}

TEST(SparseSlice, KeepsWhatLiesInTheBox) {
  const std::vector<Array> inputs = {rows({0, 1, 1, 2, 2, 0}), doubles({1, 2, 3}), longs({3, 3}),
                                     longs({1, 1}), longs({5, 2})};
  const auto out = run_op_all("SparseSlice", inputs);
  EXPECT_EQ(out[0], rows({0, 1}));
  EXPECT_EQ(out[1], doubles({2}));
  EXPECT_EQ(out[2], longs({2, 2}));
  check_gradient("SparseSlice", inputs, {.outputs = {1}});
}

TEST(SparseSplit, GivesTheFirstPartsTheRest) {
  const auto out = run_op_all(
      "SparseSplit", {Array(int64_t{1}), rows({0, 1, 0, 2, 1, 0}), doubles({1, 2, 3}), longs({2, 3})},
      {.attrs = {{"num_split", int64_t{2}}}});
  EXPECT_EQ(out[0], rows({0, 1, 1, 0}));
  EXPECT_EQ(out[1], rows({0, 0}));
  EXPECT_EQ(out[2], doubles({1, 3}));
  EXPECT_EQ(out[3], doubles({2}));
  EXPECT_EQ(out[4], longs({2, 2}));
  EXPECT_EQ(out[5], longs({2, 1}));
  expect_run_error("Input axis should be in range [-2, 2), got 2", "SparseSplit",
                   {Array(int64_t{2}), rows({0, 1}), doubles({1}), longs({2, 3})},
                   {{"num_split", int64_t{2}}});
}

TEST(SparseFillEmptyRows, PutsTheDefaultInTheFirstColumn) {
  const std::vector<Array> inputs = {rows({2, 1, 0, 3}), doubles({1, 2}), longs({4, 5}), Array(7.0)};
  const auto out = run_op_all("SparseFillEmptyRows", inputs);
  EXPECT_EQ(out[0], rows({0, 3, 1, 0, 2, 1, 3, 0}));
  EXPECT_EQ(out[1], doubles({2, 7, 1, 7}));
  EXPECT_EQ(out[2], Array(std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(out[3], longs({2, 0}));
  check_gradient("SparseFillEmptyRows", inputs, {.outputs = {1}});
  expect_run_error("indices(0, 0) is invalid: 2 >= 2", "SparseFillEmptyRows",
                   {rows({2, 1}), doubles({1}), longs({2, 5}), Array(7.0)});
  expect_run_error("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = 1",
                   "SparseFillEmptyRows", {rows({2, 1}), doubles({1}), longs({0, 5}), Array(7.0)});
}

}  // namespace
}  // namespace flowray::testing
