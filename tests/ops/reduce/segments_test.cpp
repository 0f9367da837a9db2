#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(std::vector<int64_t> values) { return Array(values); }

TEST(SegmentSum, RefusesAnIdThatHasNoNextOne) {
  expect_run_error("Expected a non-negative size, got -9223372036854775808\n", "SegmentSum",
                   {zeros({1, 0}), longs({INT64_MAX})});
  expect_run_error("Last segment id must be < kintmax, got 9223372036854775807 limit 9223372036854775807\n",
                   "SparseSegmentSum", {zeros({1, 0}), longs({0}), longs({INT64_MAX})});
  expect_run_error("segment ids must be >= 0", "SparseSegmentSum",
                   {zeros({1, 0}), int_vector({0}), int_vector({INT32_MAX})});
}

TEST(SegmentSum, LooksForNothingInRowsWithoutElements) {
  const int64_t last = int64_t{1} << 40;
  EXPECT_EQ(run_op("SegmentSum", {zeros({1, 0}), longs({last})}).shape(), Shape({last + 1, 0}));
  EXPECT_EQ(run_op("UnsortedSegmentSum", {zeros({1, 0}), int_vector({0}), Array(last)}).shape(),
            Shape({last, 0}));
}

TEST(SparseSegmentSumGrad, OfRowsWithoutElementsTakesNoMemory) {
  const Array gradient = zeros({int64_t{1} << 40, 0});
  EXPECT_EQ(run_op("SparseSegmentMeanGrad", {gradient, int_vector({1}), int_vector({5}), Array(3)}).shape(),
            Shape({3, 0}));
  expect_run_error("Index 3 out of range [0, 3).", "SparseSegmentMeanGrad",
                   {gradient, int_vector({3}), int_vector({5}), Array(3)});
}

}  // namespace
}  // namespace flowray::testing
