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

TEST(Layers, OfLinesAndRoomsWantInputsOfTheirRank) {
  tf::reset_default_graph();
  EXPECT_THROW(tf::layers::conv1d(placeholder({2, 3}), 4, {3}), tf::ValueError);
  EXPECT_THROW(tf::layers::conv3d(placeholder({2, 5, 6, 3}), 4, {3}), tf::ValueError);
  EXPECT_THROW(tf::layers::conv3d(placeholder({2, 5, 6, 7, 3}), 4, {3, 3}), tf::ValueError);
  EXPECT_THROW(tf::layers::max_pooling1d(placeholder({2, 5, 6, 3}), {2}, {2}), tf::ValueError);
}

}  // namespace
}  // namespace flowray
