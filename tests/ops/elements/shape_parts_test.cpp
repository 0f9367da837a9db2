#include "ops/elements/shape_parts.h"

#include "ops/elements/broadcast_plan.h"

#include <gtest/gtest.h>

#include <array>

namespace flowray::ops {
namespace {

constexpr int64_t kMany = int64_t{1} << 62;

TEST(ShapeParts, OfEmptyArraysAreNotMultipliedOut) {
  EXPECT_EQ(elements_between({2, 3, 5}, 1, 3), 15);
  EXPECT_EQ(elements_between({0, kMany, 4}, 1, 3), 0);
  EXPECT_EQ(elements_between({0, kMany, 4}, 1, 2), kMany);
  EXPECT_THROW(elements_between({1, kMany, 4}, 1, 3), errors::InvalidArgumentError);
  EXPECT_EQ(dense_strides({2, 3, 5}), (std::vector<int64_t>{15, 5, 1}));
  EXPECT_EQ(dense_strides({0, kMany, 4}), (std::vector<int64_t>{0, 0, 0}));
}

TEST(BroadcastPlan, IsNotMadeForMoreElementsThanCanBeCounted) {
  const Shape large{kMany, 4};
  const Shape row{1, 4};
  const std::array<const Shape*, 2> operands = {&large, &row};
  EXPECT_THROW(plan_broadcast(large, operands), errors::InvalidArgumentError);
  const Shape empty{0, kMany, 4};
  const std::array<const Shape*, 1> one = {&empty};
  EXPECT_EQ(plan_broadcast(empty, one).rows, 0);
}

}  // namespace
}  // namespace flowray::ops
