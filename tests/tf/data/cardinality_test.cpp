// What TensorFlow 2.21's tf.data.experimental.cardinality gives in a graph for the same datasets.
#include "tf/data/cardinality.h"

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <limits>

namespace flowray::tf::data {
namespace {

class CardinalityTest : public ::testing::Test {
 protected:
  static Dataset range(int64_t size) { return Dataset::range(size); }
  static Dataset filtered(const Dataset& dataset) {
    return dataset.filter([](const Tensor& x) { return x >= int64_t{0}; });
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(CardinalityTest, IsThatOfTheSources) {
  EXPECT_EQ(cardinality_of(Dataset::from_tensors({1, 2})), 1);
  EXPECT_EQ(cardinality_of(Dataset::from_tensor_slices({1, 2, 3})), 3);
  EXPECT_EQ(cardinality_of(range(10)), 10);
  EXPECT_EQ(cardinality_of(Dataset::range(10, 0, -3)), 4);
  EXPECT_EQ(cardinality_of(Dataset::range(3, 3)), 0);
  EXPECT_EQ(cardinality_of(Dataset::from_tensor_slices(placeholder(float32, {-1, 2}))), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(Dataset::range(placeholder(int64, TensorShape{}))), kUnknownCardinality);
}

TEST_F(CardinalityTest, FollowsWhatChangesIt) {
  EXPECT_EQ(cardinality_of(range(10).batch(4)), 3);
  EXPECT_EQ(cardinality_of(range(10).batch(4, {.drop_remainder = true})), 2);
  EXPECT_EQ(cardinality_of(range(10).padded_batch(4)), 3);
  EXPECT_EQ(cardinality_of(range(3).repeat(2)), 6);
  EXPECT_EQ(cardinality_of(range(3).repeat(0)), 0);
  EXPECT_EQ(cardinality_of(range(3).take(2)), 2);
  EXPECT_EQ(cardinality_of(range(3).take(7)), 3);
  EXPECT_EQ(cardinality_of(range(3).take(-1)), 3);
  EXPECT_EQ(cardinality_of(range(3).skip(1)), 2);
  EXPECT_EQ(cardinality_of(range(3).skip(-1)), 0);
  EXPECT_EQ(cardinality_of(range(3).skip(7)), 0);
  EXPECT_EQ(cardinality_of(range(3).concatenate(range(4))), 7);
  EXPECT_EQ(cardinality_of(Dataset::zip({range(3), range(3).repeat()})), 3);
  EXPECT_EQ(cardinality_of(range(10).enumerate()), 10);
  EXPECT_EQ(cardinality_of(range(3).shuffle(2).cache().prefetch(2)), 3);
}

TEST_F(CardinalityTest, IsInfiniteWhereNothingEndsIt) {
  EXPECT_EQ(cardinality_of(range(3).repeat()), kInfiniteCardinality);
  EXPECT_EQ(cardinality_of(range(3).repeat().batch(2)), kInfiniteCardinality);
  EXPECT_EQ(cardinality_of(filtered(range(3)).repeat()), kInfiniteCardinality);
  EXPECT_EQ(cardinality_of(range(3).repeat().concatenate(filtered(range(3)))), kInfiniteCardinality);
  EXPECT_EQ(cardinality_of(range(3).repeat().take(7)), 7);
  EXPECT_EQ(cardinality_of(range(0).repeat()), 0);
}

TEST_F(CardinalityTest, IsUnknownWhereAStepWouldHaveToTell) {
  EXPECT_EQ(cardinality_of(filtered(range(3))), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(filtered(range(3)).repeat(2)), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(filtered(range(3)).repeat(0)), 0);
  EXPECT_EQ(cardinality_of(filtered(range(3)).take(0)), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(range(3).map([](const Tensor& x) { return x + x; })), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(Dataset::zip({range(3), filtered(range(3))})), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(range(3).concatenate(filtered(range(3)))), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(range(10).batch(placeholder(int64, TensorShape{}))), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(Dataset()), kUnknownCardinality);
}

TEST_F(CardinalityTest, IsNoNumberThatDoesNotFit) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(cardinality_of(Dataset::range(-most, most)), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(range(most).repeat(2)), kUnknownCardinality);
  EXPECT_EQ(cardinality_of(range(most).concatenate(range(most))), kUnknownCardinality);
}

}  // namespace
}  // namespace flowray::tf::data
