#pragma once
/// LeNet-5 and the actor of lenet_actor.cpp, apart so that a test can take single steps of the network.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>

#include <cstdint>
#include <iostream>
#include <utility>

namespace lenet_actor {

namespace ray = flowray::ray;
namespace tf = flowray::tf;

struct LeNet5 {
  tf::Tensor x;       ///< float32 [batch, 784]
  tf::Tensor labels;  ///< float32 [batch, 10]
  tf::Operation train_step;
  tf::Tensor accuracy;
  tf::Tensor loss;
};

/// Adds the network to the default graph. With relu before softmax and steps of 0.5 it learns, but its
/// accuracy swings widely for a while; flowray-lenet has one that does not.
inline LeNet5 lenet5() {
  auto x = tf::placeholder(tf::float32, {tf::None, 784});
  auto labels = tf::placeholder(tf::float32, {tf::None, 10});
  auto x_img = tf::reshape(x, {-1, 28, 28, 1});

  const auto glorot = tf::glorot_uniform_initializer({.seed = 0});
  auto w_conv1 = tf::get_variable("w_conv1", {5, 5, 1, 6}, {.initializer = glorot});
  auto w_conv2 = tf::get_variable("w_conv2", {5, 5, 6, 16}, {.initializer = glorot});
  auto w_fc1 = tf::get_variable("w_fc1", {400, 120}, {.initializer = glorot});
  auto b_fc1 = tf::get_variable("b1", {120}, {.initializer = glorot});
  auto w_fc2 = tf::get_variable("w_fc2", {120, 10}, {.initializer = glorot});
  auto b_fc2 = tf::get_variable("b2", {10}, {.initializer = glorot});

  auto y = tf::nn::conv2d(x_img, w_conv1, {.strides = {1, 1, 1, 1}, .padding = "SAME"});
  y = tf::nn::relu(y);
  y = tf::nn::avg_pool(y, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  y = tf::nn::conv2d(y, w_conv2, {.strides = {1, 1, 1, 1}, .padding = "VALID"});
  y = tf::nn::relu(y);
  y = tf::nn::avg_pool(y, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  y = tf::reshape(y, {-1, 400});
  y = tf::matmul(y, w_fc1) + b_fc1;
  y = tf::nn::relu(y);
  y = tf::matmul(y, w_fc2) + b_fc2;
  y = tf::nn::relu(y);
  y = tf::nn::softmax(y);

  auto cross_entropy = tf::reduce_mean(-tf::reduce_sum(labels * tf::log(y), {.reduction_indices = {1}}));
  auto train_step = tf::train::GradientDescentOptimizer(0.5).minimize(cross_entropy);
  auto correct_prediction = tf::equal(tf::argmax(y, 1), tf::argmax(labels, 1));
  auto accuracy = tf::reduce_mean(tf::cast(correct_prediction, tf::float32));
  return {x, labels, train_step, accuracy, cross_entropy};
}

/// How Model::Train goes about it.
struct Training {
  int64_t steps = 2000;
  int64_t tell_every = 50;  ///< steps from one line of output to the next
  bool in_order = false;    ///< images in the file's order, not shuffled
  FLOWRAY_FIELDS(steps, tell_every, in_order);
};

class Model {
 public:
  explicit Model(tf::examples::DataSets mnist) : mnist_(std::move(mnist)) {
    auto scope = graph_.as_default();
    net_ = lenet5();
    session_.run(tf::global_variables_initializer());
  }
  static Model* Create(tf::examples::DataSets mnist) { return new Model(std::move(mnist)); }

  void Train(const Training& how) {
    auto step = session_.make_callable({net_.train_step, net_.accuracy}, {net_.x, net_.labels});
    for (int64_t it = 0; it < how.steps; ++it) {
      auto [batch_xs, batch_ys] = mnist_.train.next_batch(100, {.shuffle = !how.in_order});
      auto [none, accuracy] = step(batch_xs, batch_ys);
      if (it % how.tell_every == 0) {
        std::cout << "step:" << it + 1 << ", the ac is " << accuracy.item<float>() << std::endl;
      }
    }
  }

  float GetAccuracy() {
    const auto& test = mnist_.test;
    return session_.run(net_.accuracy, {{net_.x, test.images()}, {net_.labels, test.labels()}}).item<float>();
  }

 private:
  tf::examples::DataSets mnist_;
  tf::Graph graph_;
  tf::Session session_{graph_};
  LeNet5 net_;
};

}  // namespace lenet_actor
