// What TensorFlow 2.21's tf.data.experimental.cardinality gives for the same datasets.
#include <flowray/tf.h>
#include <flowray/tf/ops/data_ops.h>
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

  static int64_t cardinality_of(const Dataset& dataset) {
    return Session().run(dataset.cardinality()).item<int64_t>();
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
  EXPECT_EQ(cardinality_of(range(10).shard(3, 0)), 4);
  EXPECT_EQ(cardinality_of(range(10).shard(3, 2)), 3);
  EXPECT_EQ(cardinality_of(range(10).window(3)), 4);
  EXPECT_EQ(cardinality_of(range(10).window(3, {.shift = 2, .stride = 2, .drop_remainder = true})), 3);
  EXPECT_EQ(cardinality_of(range(10).window(3, {.shift = 2})), 5);
}

TEST_F(CardinalityTest, IsInfiniteWhereNothingEndsIt) {
  EXPECT_EQ(cardinality_of(range(3).repeat()), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).repeat().batch(2)), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(filtered(range(3)).repeat()), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).repeat().concatenate(filtered(range(3)))), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).repeat().take(7)), 7);
  EXPECT_EQ(cardinality_of(range(0).repeat()), 0);
  EXPECT_EQ(cardinality_of(range(3).repeat().enumerate()), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(std::numeric_limits<int64_t>::max())), INFINITE_CARDINALITY);
  const auto inner = [](const Tensor& n) { return Dataset::range(n); };
  const InterleaveOptions parallel = {.cycle_length = 2, .num_parallel_calls = 2};
  EXPECT_EQ(cardinality_of(range(3).repeat().interleave(inner, parallel)), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).interleave(inner, parallel)), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).repeat().interleave(inner, {.cycle_length = 2})), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).repeat().flat_map(inner)), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(experimental::random_dataset()), INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(experimental::sample_from_datasets({range(3), range(4).repeat()})),
            INFINITE_CARDINALITY);
  EXPECT_EQ(cardinality_of(experimental::sample_from_datasets({range(3), range(4)})), UNKNOWN_CARDINALITY);
}

TEST_F(CardinalityTest, IsUnknownWhereAStepWouldHaveToTell) {
  EXPECT_EQ(cardinality_of(filtered(range(3))), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(filtered(range(3)).repeat(2)), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(filtered(range(3)).repeat(0)), 0);
  EXPECT_EQ(cardinality_of(filtered(range(3)).take(0)), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).map([](const Tensor& x) { return x + x; })), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(Dataset::zip({range(3), filtered(range(3))})), UNKNOWN_CARDINALITY);
  EXPECT_EQ(cardinality_of(range(3).concatenate(filtered(range(3)))), UNKNOWN_CARDINALITY);
}

TEST_F(CardinalityTest, DependsOnWhatIsFed) {
  auto size = placeholder(int64, TensorShape{});
  const Tensor cardinality = range(10).batch(size).cardinality();
  EXPECT_EQ(Session().run(cardinality, {{size, int64_t{5}}}), Array(int64_t{2}));
}

TEST_F(CardinalityTest, IsAValueAtOnceWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  EXPECT_EQ(range(10).batch(4).cardinality().value(), Array(int64_t{3}));
  EXPECT_EQ(range(10).repeat().cardinality().value(), Array(INFINITE_CARDINALITY));
}

TEST_F(CardinalityTest, IsAskedOfADataset) {
  EXPECT_THROW(Dataset().cardinality(), ValueError);
  EXPECT_THROW(raw_ops::DatasetCardinality(constant(3)), TypeError);
}

}  // namespace
}  // namespace flowray::tf::data
