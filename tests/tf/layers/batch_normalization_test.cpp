// tf.layers.batch_normalization as its header shows it.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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

// The averages read what the loop of the RNN gives, and the gradients of that loop wait for them. The losses
// are those of TensorFlow 2.21's compat.v1 with the same seed and batch.
TEST(BatchNormalization, IsTrainedBehindAnRnn) {
  for (const auto& [steps, expected] : {std::pair(3, 0.9311746f), std::pair(31, 0.9349556f)}) {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    tf::set_random_seed(1);
    const auto x = tf::placeholder(tf::float32, {4, steps, 2});
    tf::nn::LSTMCell cell(8);
    const auto [outputs, state] = tf::nn::dynamic_rnn(cell, x, {.dtype = tf::float32});
    const auto h = tf::layers::batch_normalization(state[1], {.training = true});
    const auto loss = tf::reduce_mean(tf::square(h - 1.0));
    tf::Operation train;
    {
      auto update = tf::control_dependencies(tf::get_collection(tf::GraphKeys::UPDATE_OPS));
      train = tf::train::GradientDescentOptimizer(0.1).minimize(loss);
    }
    tf::Session session;
    session.run(tf::global_variables_initializer());
    Array batch(tf::float32, {4, steps, 2});
    for (int i = 0; i < 8 * steps; ++i)
      batch.mutable_data<float>()[i] = static_cast<float>(i * 7919 % 100) / 100.f;
    for (int i = 0; i < 5; ++i) session.run(train, {{x, batch}});
    EXPECT_NEAR(session.run(loss, {{x, batch}}).item<float>(), expected, 1e-5f) << steps;
  }
}

}  // namespace
}  // namespace flowray
