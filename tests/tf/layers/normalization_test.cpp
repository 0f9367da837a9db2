// tests/oracle/programs/normalization.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/variable.h>

#include <string>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor relu(const tf::Tensor& x) { return tf::nn::relu(x); }

GOLDEN_PROGRAM(nn_moments) {
  tf::nn::moments(floats({tf::None, 8}), {0});
  tf::nn::moments(floats({2, 4, 4, 3}), {0, 1, 2}, {.keep_dims = true, .name = "of_images"});
}

GOLDEN_PROGRAM(nn_batch_normalization) {
  const auto x = floats({tf::None, 8});
  const auto [mean, variance] = tf::nn::moments(x, {0});
  const tf::Variable scale(tf::ones({8}), {.name = "scale"});
  const tf::Variable offset(tf::zeros({8}), {.name = "offset"});
  tf::nn::batch_normalization(x, mean, variance,
                              {.offset = offset, .scale = scale, .variance_epsilon = 1e-3});
  tf::nn::batch_normalization(x, mean, variance, {.variance_epsilon = 1e-5, .name = "plain"});
  tf::nn::batch_normalization(x, mean, variance, {.offset = offset, .variance_epsilon = 1e-5});
}

GOLDEN_PROGRAM(nn_l2_normalize) {
  const auto x = floats({tf::None, 8});
  tf::nn::l2_normalize(x, 1);
  tf::nn::l2_normalize(x, {0, 1}, {.epsilon = 1e-6, .name = "all"});
}

GOLDEN_PROGRAM(layers_batch_normalization_of_images) {
  const auto x = tf::layers::batch_normalization(floats({tf::None, 4, 4, 3}), {.training = true});
  tf::layers::batch_normalization(x, {.momentum = 0.9, .epsilon = 1e-5, .name = "second"});
}

GOLDEN_PROGRAM(layers_batch_normalization_of_a_placeholder) {
  const auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  tf::layers::batch_normalization(floats({tf::None, 4, 4, 3}), {.training = training});
}

GOLDEN_PROGRAM(layers_batch_normalization_of_vectors) {
  const auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  auto x = tf::layers::batch_normalization(floats({tf::None, 6}), {.training = true});
  x = tf::layers::batch_normalization(x, {.center = false});
  tf::layers::batch_normalization(x, {.scale = false, .training = training});
}

GOLDEN_PROGRAM(layers_batch_normalization_by_parts) {
  const auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  tf::layers::batch_normalization(floats({tf::None, 4, 4, 3}), {.training = true, .fused = false});
  tf::layers::batch_normalization(floats({tf::None, 4, 4, 3}, "y"),
                                  {.axis = 1, .training = training, .fused = false});
  tf::layers::batch_normalization(tf::placeholder(tf::float64, {2, 4, 4, 3}, {.name = "doubles"}),
                                  {.training = true});
}

GOLDEN_PROGRAM(layers_batch_normalization_of_rooms) {
  const auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  const auto x = floats({2, 3, 4, 4, 3});
  tf::layers::batch_normalization(x, {.training = true});
  tf::layers::batch_normalization(x, {.axis = 2, .training = training});
}

GOLDEN_PROGRAM(layers_batch_normalization_of_halves) {
  tf::layers::batch_normalization(tf::placeholder(tf::float16, {2, 4, 4, 3}, {.name = "images"}),
                                  {.training = true});
  tf::layers::batch_normalization(tf::placeholder(tf::float16, {2, 3}, {.name = "vectors"}),
                                  {.training = true});
}

GOLDEN_PROGRAM(layers_batch_renormalization) {
  const auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  auto x = tf::layers::batch_normalization(floats({tf::None, 6}), {.training = true, .renorm = true});
  x = tf::layers::batch_normalization(x, {.training = training,
                                          .renorm = true,
                                          .renorm_clipping = {.rmax = 3.0, .rmin = 0.3, .dmax = 5.0},
                                          .renorm_momentum = 0.9});
  tf::layers::batch_normalization(floats({tf::None, 4, 4, 3}, "images"),
                                  {.scale = false, .training = true, .renorm = true});
}

GOLDEN_PROGRAM(layers_batch_normalization_of_virtual_batches) {
  const auto training = tf::placeholder(tf::boolean, {}, {.name = "training"});
  tf::layers::batch_normalization(floats({8, 6}), {.training = true, .virtual_batch_size = 2});
  tf::layers::batch_normalization(floats({8, 4, 4, 3}, "images"),
                                  {.training = training, .virtual_batch_size = 4});
}

GOLDEN_PROGRAM(nn_fully_connected) {
  const auto x = floats({tf::None, 4});
  const tf::Variable w(tf::ones({4, 3}), {.name = "w"});
  const tf::Variable b(tf::zeros({3}), {.name = "b"});
  tf::nn::xw_plus_b(x, w, b);
  tf::nn::relu_layer(x, w, b);
  tf::nn::xw_plus_b(x, w, b, {.name = "named"});
}

GOLDEN_PROGRAM(nn_transposed_convolution) {
  const auto x = floats({2, 4, 4, 3});
  const tf::Variable w(tf::ones({3, 3, 2, 3}), {.name = "w"});
  tf::nn::conv2d_transpose(x, w, {2, 8, 8, 2}, {.strides = {1, 2, 2, 1}});
  const auto batch = tf::shape(x)[0];
  const auto sizes = tf::stack({batch, 8, 8, 2});
  tf::nn::conv2d_transpose(x, w, sizes, {.strides = {2}, .name = "stacked"});
}

GOLDEN_PROGRAM(layers_conv2d_transpose) {
  const auto x = tf::layers::conv2d_transpose(floats({tf::None, 4, 4, 3}), 2, {5},
                                              {.strides = {2}, .padding = "same", .activation = relu});
  tf::layers::conv2d_transpose(x, 4, {3, 2}, {.use_bias = false, .name = "second"});
}

GOLDEN_PROGRAM(nn_sampled_losses) {
  const auto inputs = floats({5, 4});
  const auto labels = tf::placeholder(tf::int64, {5, 1}, {.name = "labels"});
  const tf::Variable w(tf::ones({20, 4}), {.name = "w"});
  const tf::Variable b(tf::zeros({20}), {.name = "b"});
  tf::nn::nce_loss(w, b, labels, inputs, 3, 20);
  tf::nn::sampled_softmax_loss(w, b, labels, inputs, 3, 20);
}

GOLDEN_PROGRAM(nn_sampled_losses_of_int32_labels) {
  const auto inputs = floats({6, 4});
  const auto labels = tf::placeholder(tf::int32, {6, 1}, {.name = "labels"});
  const tf::Variable w(tf::ones({20, 4}), {.name = "w"});
  const tf::Variable b(tf::zeros({20}), {.name = "b"});
  tf::nn::nce_loss(w, b, labels, inputs, 3, 20, {.remove_accidental_hits = true, .name = "loss"});
  tf::nn::sampled_softmax_loss(w, b, labels, inputs, 3, 20, {.seed = 3});
}

}  // namespace
}  // namespace flowray
