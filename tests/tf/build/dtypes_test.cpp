// tf::None, wherever Python's programs write None.
#include <flowray/tf.h>

#include <gtest/gtest.h>

namespace flowray {
namespace {

template <class T>
concept BecomesATensor = requires(const T& value) { tf::constant(value); };

class None : public ::testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
  const tf::Tensor list_ = tf::constant({1, 2, 3, 4});
  const tf::Tensor matrix_ = tf::constant({{1, 2}, {3, 4}});
  tf::Session session_;
};

TEST_F(None, IsAnUnknownDimension) {
  EXPECT_EQ(tf::placeholder(tf::float32, {tf::None, 2}).shape().to_string(), "[?,2]");
  EXPECT_EQ(tf::placeholder(tf::float32, {tf::None}).shape().to_string(), "[?]");
}

TEST_F(None, LeavesOutAnEndOfASlice) {
  EXPECT_EQ(session_.run(list_[tf::Slice{-2, tf::None}]), Array({3, 4}));
  EXPECT_EQ(session_.run(list_[tf::Slice{tf::None, 3}]), Array({1, 2, 3}));
  EXPECT_EQ(session_.run(list_[tf::Slice{tf::None, tf::None, 2}]), Array({1, 3}));
}

TEST_F(None, IsANewDimensionBetweenBrackets) {
  EXPECT_EQ(session_.run(list_[tf::None]), Array({{1, 2, 3, 4}}));
  EXPECT_EQ(session_.run(matrix_[{tf::None, 1}]), Array({{3, 4}}));
}

TEST_F(None, IsAllDimensionsAsAnAxis) {
  EXPECT_EQ(session_.run(tf::reduce_sum(matrix_, tf::None)), Array(10));
  EXPECT_EQ(session_.run(tf::reduce_max(matrix_, {.axis = tf::None})), Array(4));
  EXPECT_EQ(session_.run(tf::squeeze(list_[tf::None], tf::None)), Array({1, 2, 3, 4}));
}

TEST_F(None, IsNoNumber) {
  static_assert(BecomesATensor<int>);
  static_assert(!BecomesATensor<decltype(tf::None)>);
}

}  // namespace
}  // namespace flowray
