// Numbers at the ends of int64; tests/tf/cardinalities_of_datasets_test.cpp has those of datasets.
#include "ops/data/cardinality.h"

#include <gtest/gtest.h>

#include <limits>

namespace flowray::ops {
namespace {

// TensorFlow's numbers wrap around here.
TEST(CardinalityRules, GiveNoNumberThatDoesNotFit) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(cardinality_of_range(-kMost, kMost - 1, 1), kUnknownCardinality);
  EXPECT_EQ(cardinality_of_range(0, kLeast, -1), kUnknownCardinality);
  EXPECT_EQ(cardinality_of_range(0, kLeast + 1, -1), kMost);
  EXPECT_EQ(cardinality_of_range(0, kLeast, kLeast), 1);
  EXPECT_EQ(cardinality_of_range(kLeast, kMost - 1, 2), kMost);
  EXPECT_EQ(cardinality_of_range(kMost, kLeast, -2), kUnknownCardinality);
  EXPECT_EQ(cardinality_of_range(kMost, kLeast, -4), int64_t{1} << 62);
  EXPECT_EQ(cardinality_of_repeated(kMost, 2), kUnknownCardinality);
  EXPECT_EQ(cardinality_of_joined(kMost, kMost), kUnknownCardinality);
  EXPECT_EQ(cardinality_of_windows(kMost, kMost, 1, kMost, true), 0);
}

}  // namespace
}  // namespace flowray::ops
