// Convolutions (tests/oracle/programs/nn.py) and the programs of gradients.py that need functions of
// neural networks, in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

tf::Tensor images() { return floats({tf::None, 28, 28, 3}, "images"); }

GOLDEN_PROGRAM(conv2ds) {
  auto kernel = floats({5, 5, 3, 8}, "kernel");
  tf::nn::conv2d(images(), kernel, {.strides = {1, 1, 1, 1}, .padding = "SAME"});
  tf::nn::conv2d(images(), kernel, {.strides = {1, 2, 2, 1}, .padding = "VALID", .name = "named"});
  tf::nn::conv2d(images(), kernel, {.strides = {1, 3, 2, 1}, .padding = "SAME"});
  tf::nn::conv2d(images(), kernel, {.strides = {2}, .padding = "SAME"});
  tf::nn::conv2d(images(), kernel, {.strides = {1, 1, 1, 1}, .padding = "VALID", .dilations = {1, 2, 2, 1}});
  tf::nn::conv2d(images(), kernel,
                 {.strides = {1}, .padding = "EXPLICIT", .explicit_paddings = {0, 0, 1, 2, 3, 4, 0, 0}});
  auto any_size = tf::placeholder(tf::float32, {tf::None, tf::None, tf::None, 3});
  tf::nn::conv2d(any_size, kernel, {.strides = {1}, .padding = "SAME"});
}

GOLDEN_PROGRAM(gradients_of_softmax_and_log) {
  auto x = floats({tf::None, 10}), labels = floats({tf::None, 10}, "labels");
  tf::gradients(tf::nn::softmax(x), {x});
  tf::gradients(tf::nn::log_softmax(x), {x});
  tf::gradients(-tf::reduce_sum(labels * tf::log(tf::nn::softmax(x))), {x});
}

GOLDEN_PROGRAM(gradients_of_cross_entropies) {
  auto x = floats({5, 10}), labels = floats({5, 10}, "labels");
  tf::gradients(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = x}), {x, labels});
  tf::gradients(tf::nn::softmax_cross_entropy_with_logits({.labels = labels, .logits = x}), {x});
  tf::gradients(tf::nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = x}), {x});
}

GOLDEN_PROGRAM(gradients_of_cross_entropy_unknown_batch) {
  auto x = floats({tf::None, 10}), labels = floats({tf::None, 10}, "labels");
  tf::gradients(
      tf::reduce_mean(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = x})), {x});
}

GOLDEN_PROGRAM(gradients_of_sparse_cross_entropy) {
  auto x = floats({tf::None, 10});
  auto labels = tf::placeholder(tf::int32, {tf::None}, {.name = "labels"});
  tf::gradients(tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = x}), {x});
}

GOLDEN_PROGRAM(gradients_of_activations) {
  using Function = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);
  for (Function function : {tf::nn::relu, tf::nn::relu6, tf::nn::elu, tf::nn::softplus}) {
    auto x = floats({3});
    tf::gradients(function(x, {}), {x});
  }
}

GOLDEN_PROGRAM(gradients_of_conv_and_avg_pool) {
  auto x = floats({tf::None, 8, 8, 2}), kernel = floats({3, 3, 2, 4}, "kernel");
  auto y = tf::nn::relu(tf::nn::conv2d(x, kernel, {.strides = {1, 1, 1, 1}, .padding = "SAME"}));
  y = tf::nn::avg_pool(y, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "VALID"});
  tf::gradients(tf::reduce_mean(y), {x, kernel});
}

GOLDEN_PROGRAM(gradients_of_conv_and_max_pool) {
  auto x = floats({2, 8, 8, 2}), kernel = floats({3, 3, 2, 4}, "kernel"), bias = floats({4}, "bias");
  auto y = tf::nn::bias_add(tf::nn::conv2d(x, kernel, {.strides = {1, 2, 2, 1}, .padding = "VALID"}), bias);
  y = tf::nn::max_pool(y, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  tf::gradients(tf::reduce_sum(y), {kernel, bias});
}

GOLDEN_PROGRAM(gradients_of_bias_add_and_l2_loss) {
  auto x = floats({tf::None, 4}), bias = floats({4}, "bias");
  tf::gradients(tf::nn::l2_loss(tf::nn::bias_add(x, bias)), {x, bias});
}

GOLDEN_PROGRAM(gradients_of_dropout) {
  auto x = floats({2, 4});
  tf::gradients(tf::nn::dropout(x, {.seed = 1, .rate = 0.5}), {x});
}

}  // namespace
}  // namespace flowray
