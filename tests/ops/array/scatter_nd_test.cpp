#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(TensorScatter, RefusesCoordinatesOfMoreNumbersThanAnIntHolds) {
  for (const int64_t depth : {(int64_t{1} << 31) + 1, (int64_t{1} << 32) + 1}) {
    const Array indices(DType::kInt32, {0, depth});
    EXPECT_THROW(
        run_op_all("TensorScatterMax", {zeros({2, 2}), indices, zeros({0, 2})}, {.unknown_shapes = true}),
        errors::InvalidArgumentError);
    EXPECT_THROW(
        run_op_all("TensorScatterMax", {zeros({2, 2}), indices, zeros({0})}, {.unknown_shapes = true}),
        errors::InvalidArgumentError);
    EXPECT_THROW(built_shape("TensorScatterMax", {floats({2, 2}), ints({3, depth}), floats({3, 2})}),
                 ValueError);
    EXPECT_THROW(
        run_op_all("ScatterNd", {indices, zeros({0, 2}), int_vector({2, 2})}, {.unknown_shapes = true}),
        errors::InvalidArgumentError);
  }
}

// Coordinates without a number name the whole array, which has no elements here.
TEST(GatherNd, LooksForNothingWhereThereIsNothing) {
  const int64_t many = int64_t{1} << 40;
  EXPECT_EQ(run_op("GatherNd", {zeros({0}), Array(DType::kInt32, {many, 0})}).shape(), Shape({many, 0}));
  EXPECT_EQ(run_op("GatherNd", {zeros({2}), Array(DType::kInt32, {3, 0})}), zeros({3, 2}));
}

}  // namespace
}  // namespace flowray::testing
