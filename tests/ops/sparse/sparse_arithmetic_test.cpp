// What is expected is worked out by hand, or by numpy where it says so.

#include "ops/array_testing.h"

#include <cmath>
#include <limits>

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array rows(const std::vector<int64_t>& numbers) { return Array::from(numbers, {std::ssize(numbers) / 2, 2}); }
Array doubles(const std::vector<double>& numbers) { return Array(numbers); }

const std::vector<Array>& two_tensors() {
  static const std::vector<Array> inputs = {rows({0, 1, 1, 0}), doubles({1, 2}),    longs({2, 2}),
                                            rows({0, 0, 1, 0}), doubles({4, -1.5}), longs({2, 2})};
  return inputs;
}

TEST(SparseAdd, MeetsByCoordinates) {
  std::vector<Array> inputs = two_tensors();
  inputs.emplace_back(0.0);
  const auto out = run_op_all("SparseAdd", inputs);
  EXPECT_EQ(out[0], rows({0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(out[1], doubles({4, 1, 0.5}));
  check_gradient("SparseAdd", inputs, {.skip = {6}, .outputs = {1}});
  inputs[6] = Array(0.75);
  EXPECT_EQ(run_op_all("SparseAdd", inputs)[1], doubles({4, 1}));
  inputs[5] = longs({2, 3});
  expect_run_error("Operands' shapes do not match: got 2 and 3 for dimension 1", "SparseAdd", inputs);
}

TEST(SparseSparseMaximum, TakesZeroForWhatIsMissing) {
  const auto greatest = run_op_all("SparseSparseMaximum", two_tensors());
  EXPECT_EQ(greatest[0], rows({0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(greatest[1], doubles({4, 1, 2}));
  EXPECT_EQ(run_op_all("SparseSparseMinimum", two_tensors())[1], doubles({0, 0, -1.5}));
}

TEST(SparseTensorDenseAdd, AddsValuesThatComeTwice) {
  const std::vector<Array> inputs = {rows({0, 1, 1, 0, 1, 0}), doubles({1, 2, 3}), longs({2, 2}),
                                     Array::from(std::vector<double>{10, 20, 30, 40}, {2, 2})};
  EXPECT_EQ(run_op("SparseTensorDenseAdd", inputs), Array::from(std::vector<double>{10, 21, 35, 40}, {2, 2}));
  check_gradient("SparseTensorDenseAdd", inputs);
  expect_run_error(
      "Sparse tensor has an invalid index on dimension 1: a_indices(0,1) = 2, dense tensor shape: 2 2",
      "SparseTensorDenseAdd", {rows({0, 2}), doubles({1}), longs({2, 2}), inputs[3]});
}

TEST(SparseDenseCwiseMul, BroadcastsTheDenseSide) {
  const std::vector<Array> inputs = {rows({0, 1, 1, 0}), doubles({3, 5}), longs({2, 2}), doubles({2, 4})};
  EXPECT_EQ(run_op("SparseDenseCwiseMul", inputs), doubles({12, 10}));
  EXPECT_EQ(run_op("SparseDenseCwiseDiv", inputs), doubles({0.75, 2.5}));
  EXPECT_EQ(run_op("SparseDenseCwiseAdd", inputs), doubles({7, 7}));
  check_gradient("SparseDenseCwiseMul", inputs);
  check_gradient("SparseDenseCwiseDiv", inputs);
  expect_run_error(
      "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [2,2] vs. [3]",
      "SparseDenseCwiseMul", {inputs[0], inputs[1], inputs[2], doubles({1, 2, 3})});
}

TEST(SparseDenseCwiseDiv, OfIntegersEndsNoProcess) {
  const Array lowest(std::vector<int32_t>{std::numeric_limits<int32_t>::min()});
  const auto divided = [&](int32_t by) {
    return run_op("SparseDenseCwiseDiv",
                  {rows({0, 0}), lowest, longs({1, 1}), Array(std::vector<int32_t>{by})});
  };
  EXPECT_EQ(divided(-1), lowest);
  EXPECT_THROW(divided(0), errors::InvalidArgumentError);
}

TEST(SparseSoftmax, IsOfTheValuesOfEachRow) {
  const std::vector<Array> inputs = {rows({0, 0, 0, 2, 1, 1}), doubles({0, std::log(3.0), 5}), longs({2, 3})};
  expect_close(run_op("SparseSoftmax", inputs), doubles({0.25, 0.75, 1}));
  check_gradient("SparseSoftmax", inputs);
  expect_run_error("Input should have rank >= 2, but received shape: 3", "SparseSoftmax",
                   {Array::from(std::vector<int64_t>{0}, {1, 1}), doubles({1}), longs({3})});
}

TEST(SparseFillEmptyRowsGrad, RefusesPlacesThatAreNotThere) {
  expect_run_error("Elements in reverse index must be in [0, 2) but got 2", "SparseFillEmptyRowsGrad",
                   {longs({0, 2}), doubles({1, 2})});
}

}  // namespace
}  // namespace flowray::testing
