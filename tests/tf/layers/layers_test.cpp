// tests/oracle/programs/layers.py in C++ but for the losses, and what nn.py and optimizers.py have of
// layers and rates.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
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

GOLDEN_PROGRAM(layers_dense_of_more_dimensions) {
  tf::layers::dense(floats({2, 5, 4}, "x"), 3, {.activation = tf::layers::activation("tanh")});
  tf::layers::dense(floats({tf::None, 5, 4}, "y"), 3, {.use_bias = false, .name = "second"});
  tf::layers::dense(floats({tf::None, tf::None, 2, 4}, "z"), 1);
}

GOLDEN_PROGRAM(layers_conv2d_dilated) {
  tf::layers::conv2d(images(), 4, {3}, {.dilation_rate = {2}});
  tf::layers::conv2d(images(), 4, {3}, {.padding = "SAME", .dilation_rate = {2, 1}, .name = "same"});
  auto any = floats({tf::None, tf::None, tf::None, 3}, "any");
  tf::layers::conv2d(any, 4, {2, 3}, {.padding = "same", .dilation_rate = {1, 3}});
  tf::layers::conv2d(floats({2, 9, 9, 3}, "known"), 4, {3}, {.padding = "same", .dilation_rate = {3}});
}

GOLDEN_PROGRAM(layers_channels_first) {
  const std::string first = "channels_first";
  auto x = floats({tf::None, 3, 8, 8}, "x");
  auto y = tf::layers::conv2d(x, 4, {3}, {.strides = {2, 1}, .data_format = first, .activation = relu});
  tf::layers::conv2d(x, 4, {3}, {.data_format = first, .use_bias = false, .name = "plain"});
  y = tf::layers::max_pooling2d(y, {2}, {1, 2}, {.data_format = first});
  y = tf::layers::average_pooling2d(y, {2}, {1}, {.padding = "same", .data_format = first});
  tf::layers::flatten(y, {.data_format = first});
  tf::layers::flatten(floats({tf::None, tf::None, 2}, "z"), {.data_format = first});
}

GOLDEN_PROGRAM(layers_by_words) {
  using tf::initializers::get;
  using tf::layers::activation;
  auto x = floats({2, 4}, "x");
  x = tf::layers::dense(x, 3,
                        {.activation = activation("relu"),
                         .kernel_initializer = get("zeros"),
                         .bias_initializer = get("ones")});
  x = tf::layers::dense(x, 3,
                        {.activation = activation("tanh"), .kernel_initializer = get("glorot_uniform")});
  x = tf::layers::dense(x, 3,
                        {.activation = activation("sigmoid"), .bias_initializer = get("glorot_uniform")});
  x = tf::layers::dense(x, 3,
                        {.activation = activation("softmax"), .kernel_initializer = tf::zeros_initializer()});
  tf::layers::dense(x, 2, {.activation = activation("linear")});
}

GOLDEN_PROGRAM(layers_dropout_noise) {
  auto x = floats({tf::None, 8, 4}, "x");
  tf::layers::dropout(x, {.rate = 0.5, .noise_shape = tf::TensorShape{tf::None, 1, 4}, .training = true});
  auto half = tf::constant(0.5);
  tf::layers::dropout(x, {.rate = half, .noise_shape = tf::TensorShape{2, 8, 1}, .training = true});
  tf::layers::dropout(x, {.rate = 0.0, .training = true});
  tf::layers::dropout(x, {.rate = 0, .training = true});
}

GOLDEN_PROGRAM(layers_flatten_unknown) {
  tf::layers::flatten(floats(tf::TensorShape::unknown_rank(), "x"));
  tf::layers::flatten(floats({5}, "vector"));
  tf::layers::flatten(tf::placeholder(tf::int32, {tf::None, 2, 0}, {.name = "empty"}));
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
