// tf.layers.batch_normalization as its header shows it.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <cmath>

namespace flowray {
namespace {

TEST(BatchNormalization, IsTrainedWithTheUpdatesOfItsMovingAverages) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto x = tf::placeholder(tf::float32, {tf::None, 1});
  const auto training = tf::placeholder(tf::boolean, {});
  const auto y = tf::layers::batch_normalization(x, {.momentum = 0.5, .training = training});
  const auto loss = tf::reduce_mean(tf::square(y - 1.0));
  tf::Operation train;
  {
    auto update = tf::control_dependencies(tf::get_collection(tf::GraphKeys::UPDATE_OPS));
    train = tf::train::GradientDescentOptimizer(0.1).minimize(loss);
  }
  EXPECT_EQ(tf::get_collection(tf::GraphKeys::UPDATE_OPS).size(), 2u);
  tf::Session session;
  session.run(tf::global_variables_initializer());
  session.run(train, {{x, {{1.0f}, {3.0f}}}, {training, true}});
  // The batch has mean 2 and variance 1; the averages went half of the way from 0 and 1.
  EXPECT_EQ(session.run("batch_normalization/moving_mean:0"), Array({1.0f}));
  EXPECT_EQ(session.run("batch_normalization/moving_variance:0"), Array({1.0f}));
  // At x = 1, the moving mean, y is beta: it went from 0 by 0.1 times the gradient, which is -2.
  const float got = session.run(y, {{x, {{1.0f}}}, {training, false}}).item<float>();
  EXPECT_NEAR(got, 0.2f, 1e-3f);
}

}  // namespace
}  // namespace flowray
