// Whole networks: weight averaging, LeNet-5 as its document and as the job have it, a dense MLP.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

using tf::train::GradientDescentOptimizer;

/// The weight-averaging network on four given points; returns its loss.
tf::Tensor averaging_network() {
  tf::set_random_seed(0);
  const std::vector<double> x{0.125, 0.25, 0.5, 1.0};
  std::vector<double> y;
  for (double value : x) y.push_back(value * 0.1 + 0.3);
  const auto x_data = tf::constant(x, tf::float32);
  const auto y_data = tf::constant(y, tf::float32);
  const auto w = tf::Variable(tf::random_uniform({1}, -1.0, 1.0));
  const auto b = tf::Variable(tf::zeros({1}));
  return tf::reduce_mean(tf::square(w * x_data + b - y_data));
}

GOLDEN_PROGRAM(averaging_compute_apply) {
  const auto loss = averaging_network();
  GradientDescentOptimizer optimizer(0.5);
  optimizer.apply_gradients(optimizer.compute_gradients(loss));
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(averaging_minimize) {
  const auto loss = averaging_network();
  GradientDescentOptimizer(0.5).minimize(loss);
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(averaging_placeholders) {
  const auto x_data = tf::placeholder(tf::float32, {100});
  const auto y_data = tf::placeholder(tf::float32, {100});
  const auto w = tf::Variable(tf::random_uniform({1}, -1.0, 1.0));
  const auto b = tf::Variable(tf::zeros({1}));
  const auto loss = tf::reduce_mean(tf::square(w * x_data + b - y_data));
  GradientDescentOptimizer optimizer(0.5);
  optimizer.apply_gradients(optimizer.compute_gradients(loss));
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(averaging_tensorflow_variables) {
  averaging_network();
  for (const tf::Variable& variable : tf::global_variables()) {
    const auto placeholder = tf::placeholder(variable.value().dtype(), variable.shape(),
                                             {.name = "Placeholder_" + variable.op().name()});
    variable.assign(placeholder);
  }
}

struct LeNet5 {
  tf::Tensor labels;
  tf::Tensor y;
};

using Flatten = tf::Tensor (*)(const tf::Tensor&);
tf::Tensor reshaped(const tf::Tensor& y) { return tf::reshape(y, {-1, 400}); }
tf::Tensor flattened(const tf::Tensor& y) { return tf::layers::flatten(y); }

/// The layers up to the last matrix product.
LeNet5 lenet5_body(bool as_in_document, Flatten flatten = reshaped) {
  const auto x = tf::placeholder(tf::float32, {tf::None, 784});
  const auto labels = tf::placeholder(tf::float32, {tf::None, 10});
  const auto image = tf::reshape(x, {-1, 28, 28, 1});
  const auto weights = [](const char* name, const tf::TensorShape& shape) {
    return tf::get_variable(name, shape, {.initializer = tf::glorot_uniform_initializer({.seed = 0})});
  };
  const auto w_conv1 = weights("w_conv1", {5, 5, 1, 6});
  const auto w_conv2 = weights("w_conv2", {5, 5, 6, 16});
  const auto w_fc1 = weights("w_fc1", {400, 120});
  const auto b_fc1 = weights("b1", {120});
  const auto w_fc2 = weights("w_fc2", {120, 10});
  const auto b_fc2 = weights("b2", {10});
  auto y = tf::nn::conv2d(image, w_conv1, {.strides = {1, 1, 1, 1}, .padding = "SAME"});
  y = tf::nn::avg_pool(tf::nn::relu(y), {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  y = tf::nn::conv2d(y, w_conv2, {.strides = {1, 1, 1, 1}, .padding = "VALID"});
  y = tf::nn::avg_pool(tf::nn::relu(y), {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  y = flatten(y);
  y = tf::nn::relu(tf::matmul(y, w_fc1) + b_fc1);
  y = tf::matmul(y, w_fc2) + b_fc2;
  if (as_in_document) {
    tf::nn::dropout(y, {.keep_prob = 0.5});  // the document drops the result
    y = tf::nn::relu(y);
  }
  return {labels, y};
}

void lenet5_accuracy(const tf::Tensor& y, const tf::Tensor& labels) {
  // One statement a node: C++ leaves open which argument is built first.
  const auto predicted = tf::argmax(y, 1);
  const auto correct = tf::equal(predicted, tf::argmax(labels, 1));
  tf::reduce_mean(tf::cast(correct, tf::float32));
}

void lenet5_document(Flatten flatten) {
  const auto [labels, last] = lenet5_body(true, flatten);
  const auto y = tf::nn::softmax(last);
  const auto loss = tf::reduce_mean(-tf::reduce_sum(labels * tf::log(y), {.reduction_indices = {1}}));
  GradientDescentOptimizer(0.5).minimize(loss);
  lenet5_accuracy(y, labels);
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(lenet5_document_with_reshape) { lenet5_document(reshaped); }
GOLDEN_PROGRAM(lenet5_as_in_document) { lenet5_document(flattened); }

template <class Optimizer>
void lenet5_job(Optimizer optimizer) {
  const auto [labels, logits] = lenet5_body(false);
  const auto loss =
      tf::reduce_mean(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits}));
  optimizer.minimize(loss);
  lenet5_accuracy(logits, labels);
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(lenet5_job_momentum) { lenet5_job(tf::train::MomentumOptimizer(0.02, 0.9)); }
GOLDEN_PROGRAM(lenet5_job_adam) { lenet5_job(tf::train::AdamOptimizer(1e-3)); }
GOLDEN_PROGRAM(lenet5_job_gradient_descent_seeded) {
  tf::set_random_seed(7);
  lenet5_job(GradientDescentOptimizer(0.5));
}

GOLDEN_PROGRAM(mlp_dense) {
  const auto x = tf::placeholder(tf::float32, {tf::None, 32}, {.name = "x"});
  const auto labels = tf::placeholder(tf::int64, {tf::None}, {.name = "labels"});
  const std::vector<std::pair<std::string, tf::TensorShape>> layers{
      {"dense", {32, 64}}, {"dense_1", {64, 64}}, {"dense_2", {64, 10}}};
  tf::Tensor hidden = x;
  for (const auto& [name, shape] : layers) {
    const auto scope = tf::variable_scope(name);
    const auto kernel = tf::get_variable("kernel", shape);
    const auto bias =
        tf::get_variable("bias", tf::TensorShape{shape.dim(1)}, {.initializer = tf::zeros_initializer()});
    hidden = tf::nn::bias_add(tf::matmul(hidden, kernel), bias);
    if (name != "dense_2") hidden = tf::nn::relu(hidden);
  }
  const auto loss =
      tf::reduce_mean(tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = hidden}));
  tf::train::RMSPropOptimizer(1e-3).minimize(loss, {.global_step = tf::train::get_or_create_global_step()});
  tf::global_variables_initializer();
}

}  // namespace
}  // namespace flowray
