#include "lenet/lenet5.h"

namespace lenet {
namespace {

/// Convolution by 5 x 5, relu, and the mean of each 2 x 2 pixels.
tf::Tensor convolution_layer(const tf::Tensor& images, const tf::Variable& kernel,
                             const std::string& padding) {
  auto y = tf::nn::relu(tf::nn::conv2d(images, kernel, {.strides = {1, 1, 1, 1}, .padding = padding}));
  return tf::nn::avg_pool(y, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
}

/// [batch, 784] to [batch, 10].
tf::Tensor network(const tf::Tensor& x, int64_t seed) {
  const tf::GetVariableOptions glorot{.initializer = tf::glorot_uniform_initializer({.seed = seed})};
  auto w_conv1 = tf::get_variable("w_conv1", {5, 5, 1, 6}, glorot);
  auto w_conv2 = tf::get_variable("w_conv2", {5, 5, 6, 16}, glorot);
  auto w_fc1 = tf::get_variable("w_fc1", {400, 120}, glorot);
  auto b1 = tf::get_variable("b1", {120}, glorot);
  auto w_fc2 = tf::get_variable("w_fc2", {120, 10}, glorot);
  auto b2 = tf::get_variable("b2", {10}, glorot);

  auto y = tf::reshape(x, {-1, 28, 28, 1});
  y = convolution_layer(y, w_conv1, "SAME");   // [batch, 14, 14, 6]
  y = convolution_layer(y, w_conv2, "VALID");  // [batch, 5, 5, 16]
  y = tf::reshape(y, {-1, 400});
  y = tf::nn::relu(tf::matmul(y, w_fc1) + b1);
  return tf::matmul(y, w_fc2) + b2;
}

}  // namespace

LeNet5 lenet5(int64_t seed) {
  auto x = tf::placeholder(tf::float32, {tf::None, 784}, {.name = "x"});
  auto labels = tf::placeholder(tf::float32, {tf::None, 10}, {.name = "labels"});
  auto logits = network(x, seed);
  auto loss =
      tf::reduce_mean(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits}));
  auto correct = tf::equal(tf::argmax(logits, 1), tf::argmax(labels, 1));
  auto accuracy = tf::reduce_mean(tf::cast(correct, tf::float32));
  return {x, labels, logits, loss, accuracy};
}

}  // namespace lenet
