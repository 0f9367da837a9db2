#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array rows(const std::vector<int64_t>& numbers, int64_t depth = 2) {
  return Array::from(numbers, {std::ssize(numbers) / depth, depth});
}
Array doubles(const std::vector<double>& numbers) { return Array(numbers); }
Array axes(const std::vector<int32_t>& numbers) { return Array(numbers); }

const std::vector<Array>& three_values() {
  static const std::vector<Array> inputs = {rows({0, 1, 1, 0, 1, 1}), doubles({-1, 2, 3}), longs({3, 2})};
  return inputs;
}

Array reduced(const char* op, const std::vector<int32_t>& along, bool keeps_rank = false) {
  std::vector<Array> inputs = three_values();
  inputs.push_back(axes(along));
  return run_op(op, inputs, {{"keep_dims", keeps_rank}});
}

TEST(SparseReduceSum, LeavesZeroWhereThereIsNothing) {
  EXPECT_EQ(reduced("SparseReduceSum", {1}), doubles({-1, 5, 0}));
  EXPECT_EQ(reduced("SparseReduceSum", {-2}, true), Array::from(std::vector<double>{2, 2}, {1, 2}));
  EXPECT_EQ(reduced("SparseReduceSum", {0, 1}), Array(4.0));
  std::vector<Array> inputs = three_values();
  inputs.push_back(axes({1}));
  check_gradient("SparseReduceSum", inputs);
  inputs[3] = axes({2});
  expect_run_error("Invalid reduction dimension 2, for input with 2 dimensions.", "SparseReduceSum", inputs);
}

TEST(SparseReduceMax, IsOfTheValuesThatAreThere) {
  EXPECT_EQ(reduced("SparseReduceMax", {1}), doubles({-1, 3, 0}));
}

TEST(SparseReduceSumSparse, HasAValueForEachRowThatHasOne) {
  std::vector<Array> inputs = three_values();
  inputs.push_back(axes({1}));
  const auto out = run_op_all("SparseReduceSumSparse", inputs);
  EXPECT_EQ(out[0], rows({0, 1}, 1));
  EXPECT_EQ(out[1], doubles({-1, 5}));
  EXPECT_EQ(out[2], longs({3}));
  const auto kept = run_op_all("SparseReduceMaxSparse", inputs, {.attrs = {{"keep_dims", true}}});
  EXPECT_EQ(kept[0], rows({0, 0, 1, 0}));
  EXPECT_EQ(kept[1], doubles({-1, 3}));
  EXPECT_EQ(kept[2], longs({3, 1}));
}

TEST(SparseReduceSum, RefusesCoordinatesOutsideOfTheShape) {
  EXPECT_THROW(run_op("SparseReduceSum", {rows({5, 0}), doubles({1}), longs({3, 2}), axes({1})}),
               errors::InvalidArgumentError);
}

TEST(SparseReduceSumSparse, OrdersAxesInOnePass) {
  // As a loop within a loop, of 10^12 turns, this would not end.
  constexpr int64_t kRank = 1'500'000;
  const Array dims = Array(std::vector<int64_t>(kRank, 1));
  const Array out = run_op_all("SparseReduceSumSparse", {Array(DType::kInt64, {0, kRank}), doubles({}), dims,
                                                         Array(std::vector<int32_t>{})})[2];
  EXPECT_EQ(out, dims);
}

}  // namespace
}  // namespace flowray::testing
