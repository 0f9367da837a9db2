// tests/oracle/programs/layers.py in C++, and what neural.py and optimizers.py have of layers, losses and
// rates.
#include "support/golden_graph.h"

#include <flowray/tf/array_ops.h>
#include <flowray/tf/init_ops.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/learning_rates.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include <string>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor images() { return floats({tf::None, 8, 8, 3}, "images"); }
tf::Tensor relu(const tf::Tensor& x) { return tf::nn::relu(x); }
tf::Variable make_step() { return tf::Variable(0, {.trainable = false, .name = "step"}); }

GOLDEN_PROGRAM(layers_dense) {
  auto x = floats({tf::None, 4}, "x");
  auto hidden = tf::layers::dense(x, 3, {.activation = relu});
  tf::layers::dense(hidden, 2, {.name = "out"});
}

GOLDEN_PROGRAM(layers_flatten) {
  tf::layers::flatten(floats({tf::None, 28, 28, 3}, "images"));
  tf::layers::flatten(tf::placeholder(tf::float32, {tf::None, 5, tf::None, 2}));
  tf::layers::flatten(tf::placeholder(tf::float32, {3, 5, 2}), {.name = "named"});
  tf::layers::flatten(tf::constant(Array(DType::kFloat32, {2, 3})));
}

GOLDEN_PROGRAM(layers_conv2d) {
  auto x = tf::layers::conv2d(images(), 4, {3}, {.padding = "same", .activation = relu});
  x = tf::layers::conv2d(x, 6, {3, 2}, {.strides = {2, 1}, .use_bias = false, .name = "second"});
  tf::layers::conv2d(
      x, 2, {1}, {.kernel_initializer = tf::zeros_initializer(), .bias_initializer = tf::ones_initializer()});
}

GOLDEN_PROGRAM(layers_pools) {
  auto x = tf::layers::max_pooling2d(images(), {2}, {2});
  x = tf::layers::average_pooling2d(x, {2, 1}, {1}, {.padding = "same", .name = "mean"});
  tf::layers::max_pooling2d(x, {2, 2}, {1, 2});
}

GOLDEN_PROGRAM(layers_dropout) {
  auto x = images();
  auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  tf::layers::dropout(x, {.rate = 0.4, .training = true});
  tf::layers::dropout(x);
  tf::layers::dropout(x, {.rate = 0.25, .seed = 3, .training = training, .name = "some"});
}

GOLDEN_PROGRAM(layers_share_variables) {
  auto x = floats({2, 4}, "x");
  {
    auto net = tf::variable_scope("net");
    tf::layers::dense(x, 3, {.name = "layer"});
    tf::layers::dense(x, 3);
  }
  {
    auto net = tf::variable_scope("net", {.reuse = true});
    tf::layers::dense(x, 3, {.name = "layer"});
  }
  tf::layers::dense(x, 3, {.name = "again", .reuse = tf::AUTO_REUSE});
  tf::layers::dense(x, 3, {.trainable = false, .name = "again", .reuse = tf::AUTO_REUSE});
}

struct LogitsAndLabels {
  tf::Tensor logits = floats({tf::None, 10}, "logits");
  tf::Tensor labels = floats({tf::None, 10}, "labels");
};

GOLDEN_PROGRAM(losses) {
  LogitsAndLabels a;
  tf::losses::mean_squared_error(a.labels, a.logits);
  tf::losses::get_total_loss();
}

GOLDEN_PROGRAM(losses_softmax_cross_entropy) {
  LogitsAndLabels a;
  tf::losses::softmax_cross_entropy(a.labels, a.logits);
}

GOLDEN_PROGRAM(losses_sparse_softmax_cross_entropy) {
  auto logits = floats({tf::None, 10}, "logits");
  auto labels = tf::placeholder(tf::int64, {tf::None}, {.name = "labels"});
  tf::losses::sparse_softmax_cross_entropy(labels, logits);
}

GOLDEN_PROGRAM(losses_of_differences) {
  LogitsAndLabels a;
  tf::losses::absolute_difference(a.labels, a.logits);
  tf::losses::mean_squared_error(a.labels, a.logits, {.weights = 0.5});
  tf::losses::sigmoid_cross_entropy(a.labels, a.logits);
  tf::losses::get_total_loss();
}

GOLDEN_PROGRAM(rates_that_decay) {
  auto step = make_step();
  tf::train::exponential_decay(0.1, step, 100, 0.96);
  tf::train::natural_exp_decay(0.1, step, 100, 0.5);
  tf::train::inverse_time_decay(0.1, step, 100, 0.5, {.staircase = true});
  tf::train::polynomial_decay(0.1, step, 100);
  tf::train::polynomial_decay(0.1, step, 100,
                              {.end_learning_rate = 0.01, .power = 0.5, .cycle = true, .name = "cycled"});
}

GOLDEN_PROGRAM(rates_that_jump) {
  auto step = make_step();
  tf::train::piecewise_constant(step, {10, 20}, {0.1, 0.01, 0.001});
}

}  // namespace
}  // namespace flowray
