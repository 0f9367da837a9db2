// tests/oracle/programs/layers_convolutions.py in C++.
#include <flowray/tf.h>
#include <flowray/tf/layers.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

tf::Tensor placeholder(const tf::TensorShape& shape, const char* name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

tf::Tensor relu(const tf::Tensor& x) { return tf::nn::relu(x); }

GOLDEN_PROGRAM(layers_of_lines) {
  const auto x = placeholder({2, 9, 3});
  tf::layers::conv1d(x, 4, {3});
  tf::layers::conv1d(
      x, 4, {3},
      {.strides = {2}, .padding = "same", .activation = relu, .use_bias = false, .name = "second"});
  tf::layers::conv1d(x, 4, {3}, {.padding = "same", .dilation_rate = {2}, .name = "gaps"});
}

GOLDEN_PROGRAM(layers_of_rooms) {
  const auto x = placeholder({2, 5, 6, 7, 3});
  tf::layers::conv3d(x, 4, {2});
  tf::layers::conv3d(x, 4, {2, 3, 2},
                     {.strides = {1, 2, 1}, .padding = "same", .activation = relu, .name = "second"});
}

GOLDEN_PROGRAM(layers_by_depth) {
  const auto x = placeholder({2, 8, 9, 3});
  tf::layers::separable_conv2d(x, 4, {3});
  tf::layers::separable_conv2d(x, 4, {3, 2},
                               {.strides = {2},
                                .padding = "same",
                                .depth_multiplier = 2,
                                .activation = relu,
                                .use_bias = false,
                                .name = "second"});
  tf::layers::separable_conv2d(x, 4, {3}, {.dilation_rate = {2}, .name = "gaps"});
}

GOLDEN_PROGRAM(layers_of_pools) {
  const auto line = placeholder({2, 9, 3}, "line");
  const auto room = placeholder({2, 5, 6, 7, 3}, "room");
  tf::layers::max_pooling1d(line, {2}, {2});
  tf::layers::average_pooling1d(line, {3}, {1}, {.padding = "same", .name = "mean"});
  tf::layers::max_pooling3d(room, {2}, {2});
  tf::layers::average_pooling3d(room, {2, 3, 2}, {1, 2, 1}, {.padding = "same", .name = "mean_of_rooms"});
}

GOLDEN_PROGRAM(layers_of_lines_that_see_no_later_step) {
  const auto x = placeholder({tf::None, 9, 3});
  tf::layers::conv1d(x, 4, {3}, {.padding = "causal"});
  tf::layers::conv1d(x, 4, {2}, {.padding = "causal", .dilation_rate = {3}, .name = "gaps"});
  tf::layers::separable_conv1d(x, 4, {3}, {.padding = "causal", .name = "separable"});
}

GOLDEN_PROGRAM(layers_of_lines_by_depth) {
  const auto x = placeholder({2, 9, 3});
  tf::layers::separable_conv1d(x, 4, {3});
  tf::layers::separable_conv1d(x, 4, {2},
                               {.strides = {2},
                                .padding = "same",
                                .depth_multiplier = 2,
                                .activation = relu,
                                .use_bias = false,
                                .name = "second"});
  tf::layers::separable_conv1d(x, 4, {3}, {.dilation_rate = {2}, .name = "gaps"});
}

GOLDEN_PROGRAM(layers_conv3d_transpose) {
  const auto x = tf::layers::conv3d_transpose(placeholder({tf::None, 2, 3, 2, 3}), 2, {3},
                                              {.strides = {2}, .padding = "same", .activation = relu});
  tf::layers::conv3d_transpose(x, 4, {3, 2, 1}, {.use_bias = false, .name = "second"});
}

GOLDEN_PROGRAM(layers_with_constraints) {
  const auto halved = [](const tf::Variable& variable) { return variable / 2.0; };
  const auto x = placeholder({2, 6, 6, 3});
  auto y = tf::layers::conv2d(x, 4, {3}, {.kernel_constraint = halved, .bias_constraint = halved});
  y = tf::layers::separable_conv2d(y, 4, {2},
                                   {.depthwise_constraint = halved, .pointwise_constraint = halved});
  y = tf::layers::batch_normalization(
      tf::layers::flatten(y), {.beta_constraint = halved, .gamma_constraint = halved, .training = true});
  y = tf::layers::dense(y, 2, {.kernel_constraint = halved});
  tf::train::GradientDescentOptimizer(0.1).minimize(tf::reduce_sum(y));
}

TEST(Layers, OfLinesAndRoomsWantInputsOfTheirRank) {
  tf::reset_default_graph();
  EXPECT_THROW(tf::layers::conv1d(placeholder({2, 3}), 4, {3}), tf::ValueError);
  EXPECT_THROW(tf::layers::conv3d(placeholder({2, 5, 6, 3}), 4, {3}), tf::ValueError);
  EXPECT_THROW(tf::layers::conv3d(placeholder({2, 5, 6, 7, 3}), 4, {3, 3}), tf::ValueError);
  EXPECT_THROW(tf::layers::max_pooling1d(placeholder({2, 5, 6, 3}), {2}, {2}), tf::ValueError);
}

}  // namespace
}  // namespace flowray
