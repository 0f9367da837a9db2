// UniqueV2 and UniqueWithCountsV2, the unique slices along an axis, and TopK; what they should give is worked
// out by hand.

#include "ops/array_testing.h"

#include <gtest/gtest.h>

namespace flowray::testing {
namespace {

Array axis(std::vector<int64_t> values) { return Array(values); }

Array matrix() { return int_vector({1, 2, 1, 2, 3, 4, 1, 2}).reshape({4, 2}); }

TEST(UniqueV2, FindsTheDifferentRowsInTheOrderInWhichTheyFirstCome) {
  const std::vector<Array> found = run_op_all("UniqueWithCountsV2", {matrix(), axis({0})});
  EXPECT_EQ(found[0], int_vector({1, 2, 3, 4}).reshape({2, 2}));
  EXPECT_EQ(found[1], int_vector({0, 0, 1, 0}));
  EXPECT_EQ(found[2], int_vector({3, 1}));
}

TEST(UniqueV2, FindsTheDifferentColumns) {
  const Array x = int_vector({5, 6, 5, 7, 8, 7}).reshape({2, 3});
  const std::vector<Array> found = run_op_all("UniqueV2", {x, axis({-1})});
  EXPECT_EQ(found[0], int_vector({5, 6, 7, 8}).reshape({2, 2}));
  EXPECT_EQ(found[1], int_vector({0, 1, 0}));
}

TEST(UniqueV2, OfAVectorIsUnique) {
  for (const Array& of : {axis({}), axis({0})}) {
    const std::vector<Array> found = run_op_all("UniqueWithCountsV2", {int_vector({4, 4, 2}), of});
    EXPECT_EQ(found[0], int_vector({4, 2}));
    EXPECT_EQ(found[2], int_vector({2, 1}));
  }
}

TEST(UniqueV2, OfSlicesWithoutElementsFindsOne) {
  const std::vector<Array> found =
      run_op_all("UniqueWithCountsV2", {Array(DType::kFloat32, {3, 0}), axis({0})});
  EXPECT_EQ(found[0], Array(DType::kFloat32, {1, 0}));
  EXPECT_EQ(found[1], int_vector({0, 0, 0}));
}

TEST(UniqueV2, RefusesInTensorFlowsWords) {
  expect_run_error("axis has to be between [0, 2)", "UniqueV2", {matrix(), axis({2})});
  expect_run_error("axis does not support input tensors larger than 1 elements", "UniqueV2",
                   {matrix(), axis({0, 1})});
  expect_run_error("axis expects a 1D vector.", "UniqueV2", {matrix(), Array(int64_t{0})});
  expect_run_error("unique expects a 1D vector.", "UniqueV2", {matrix(), axis({})});
}

TEST(TopK, TakesTheirNumberFromAnAttribute) {
  const Array x = int_vector({1, 9, 3, 7, 2, 8}).reshape({2, 3});
  const std::vector<Array> found = run_op_all("TopK", {x}, {.attrs = {{"k", int64_t{2}}}});
  EXPECT_EQ(found[0], int_vector({9, 3, 8, 7}).reshape({2, 2}));
  EXPECT_EQ(found[1], int_vector({1, 2, 2, 0}).reshape({2, 2}));
  expect_run_error("input must have at least k columns. Had 3, needed 4", "TopK", {x}, {{"k", int64_t{4}}});
}

TEST(UniqueV2, FindsOneOfManyEmptySlices) {
  const std::vector<Array> found =
      run_op_all("UniqueWithCountsV2", {zeros({3, 0}), Array(std::vector<int64_t>{0})});
  EXPECT_EQ(found.at(0).shape(), Shape({1, 0}));
  EXPECT_EQ(found.at(1), int_vector({0, 0, 0}));
  EXPECT_EQ(found.at(2), int_vector({3}));
  const std::vector<Array> none =
      run_op_all("UniqueWithCountsV2", {zeros({0, int64_t{1} << 62, 4}), Array(std::vector<int64_t>{0})});
  EXPECT_EQ(none.at(0).shape(), Shape({0, int64_t{1} << 62, 4}));
  EXPECT_EQ(none.at(2).shape(), Shape({0}));
}

}  // namespace
}  // namespace flowray::testing
