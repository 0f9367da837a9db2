#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(std::vector<int64_t> values) { return Array(values); }

TEST(SpaceToBatchND, RefusesSizesThatCannotBeCounted) {
  const Array blocks = longs({int64_t{1} << 32, int64_t{1} << 32});
  const Array none(DType::kInt64, {2, 2});
  expect_build_error("Negative dimension size caused by overflow when multiplying", "SpaceToBatchND",
                     {floats({4, 1, 1, 1}), blocks, none});
  expect_run_error("Dimension size overflow from adding 1 and 9223372036854775807", "SpaceToBatchND",
                   {zeros({1, 1, 1}), longs({4}), longs({INT64_MAX, 0}).reshape({1, 2})});
  expect_build_error("block_shape must be positive", "SpaceToBatchND",
                     {floats({4, 1, 1, 1}), longs({-2, 3}), TestInput(DType::kInt64, {2, 2})});
  expect_build_error("Rank cannot exceed kint32max", "SpaceToBatchND",
                     {floats({4, 1, 1, 1}), TestInput(DType::kInt64, {int64_t{1} << 32}),
                      TestInput(DType::kInt64, kUnknownRank)});
  expect_build_error("Negative dimension size caused by overflow when multiplying", "DepthToSpace",
                     {floats({1, int64_t{1} << 62, 1, 4})}, {{"block_size", int64_t{2}}});
}

// One pixel in a block of 2^20 places: the others are padding, which takes no work of their own.
TEST(SpaceToBatchND, PadsLargeBlocks) {
  const int64_t size = 1 << 20;
  const Array padding = longs({5, size - 6}).reshape({1, 2});
  const Array x = Array({7.f}).reshape({1, 1, 1});
  const Array batch = run_op("SpaceToBatchND", {x, longs({size}), padding});
  ASSERT_EQ(batch.shape(), Shape({size, 1, 1}));
  Array expected(DType::kFloat32, {size, 1, 1});
  expected.mutable_data<float>()[5] = 7.f;
  EXPECT_EQ(batch, expected);
  EXPECT_EQ(run_op("BatchToSpaceND", {batch, longs({size}), padding}), x);
}

// Blocks of 3 over 4 pixels behind 2 of padding: pixel i is in place (i + 2) % 3 of block (i + 2) / 3.
TEST(SpaceToBatchND, DealsPixelsOut) {
  const Array x = counting<int32_t>({1, 4, 1}, 1);
  const Array batch = run_op("SpaceToBatchND", {x, longs({3}), longs({2, 0}).reshape({1, 2})});
  EXPECT_EQ(batch, int_vector({0, 2, 0, 3, 1, 4}).reshape({3, 2, 1}));
  EXPECT_EQ(run_op("BatchToSpaceND", {batch, longs({3}), longs({2, 0}).reshape({1, 2})}), x);
}

}  // namespace
}  // namespace flowray::testing
