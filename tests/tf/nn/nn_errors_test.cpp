// The cases of tests/oracle/misuses/building.py and running.py that are about neural networks, in C++.
#include "support/recorded_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/rnn.h>
#include <flowray/tf/session.h>

namespace flowray {
namespace {

using Dims = std::vector<int64_t>;
const Dims kOnes = {1, 1, 1, 1};
const Dims kTwos = {1, 2, 2, 1};

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor unknown(const char* name) { return floats(tf::TensorShape::unknown_rank(), name); }
Array zeros(const Shape& shape) { return Array(tf::float32, shape); }

void run(const tf::Fetch& fetch, const tf::FeedDict& feeds = {}) {
  tf::Session session;
  session.run(fetch, feeds);
}

// ---- building

RECORDED_ERROR(conv2d_channels) {
  auto x = floats({1, 8, 8, 3});
  tf::nn::conv2d(x, floats({3, 3, 4, 8}, "kernel"), {.strides = kOnes, .padding = "SAME"});
}
RECORDED_ERROR(conv2d_rank) {
  auto x = floats({8, 8, 3});
  tf::nn::conv2d(x, floats({3, 3, 3, 8}, "kernel"), {.strides = kOnes, .padding = "SAME"});
}
RECORDED_ERROR(conv2d_padding_word) {
  auto x = floats({1, 8, 8, 3});
  tf::nn::conv2d(x, floats({3, 3, 3, 8}, "kernel"), {.strides = kOnes, .padding = "HALF"});
}
RECORDED_ERROR(conv2d_kernel_larger_than_image) {
  auto x = floats({1, 2, 2, 3});
  tf::nn::conv2d(x, floats({3, 3, 3, 8}, "kernel"), {.strides = kOnes, .padding = "VALID"});
}
RECORDED_ERROR(conv2d_strides_length) {
  auto x = floats({1, 8, 8, 3});
  tf::nn::conv2d(x, floats({3, 3, 3, 8}, "kernel"), {.strides = {1, 1, 1}, .padding = "SAME"});
}
RECORDED_ERROR(avg_pool_rank) {
  tf::nn::avg_pool(floats({8, 8}), {.ksize = kTwos, .strides = kTwos, .padding = "SAME"});
}
RECORDED_ERROR(max_pool_window_larger_than_image) {
  tf::nn::max_pool(floats({1, 2, 2, 3}), {.ksize = {1, 3, 3, 1}, .strides = kOnes, .padding = "VALID"});
}
RECORDED_ERROR(bias_add_size) {
  auto x = floats({2, 3});
  tf::nn::bias_add(x, floats({4}, "bias"));
}
RECORDED_ERROR(softmax_cross_entropy_shapes) {
  tf::nn::softmax_cross_entropy_with_logits_v2(
      {.labels = floats({5, 10}, "labels"), .logits = floats({5, 9}, "logits")});
}
RECORDED_ERROR(sparse_cross_entropy_ranks) {
  auto labels = tf::placeholder(tf::int32, {5, 10}, {.name = "labels"});
  tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = floats({5, 10}, "logits")});
}
RECORDED_ERROR(sparse_cross_entropy_float_labels) {
  tf::nn::sparse_softmax_cross_entropy_with_logits(
      {.labels = floats({5}, "labels"), .logits = floats({5, 10}, "logits")});
}
RECORDED_ERROR(sigmoid_cross_entropy_shapes) {
  tf::nn::sigmoid_cross_entropy_with_logits(
      {.labels = floats({5, 10}, "labels"), .logits = floats({5, 9}, "logits")});
}
RECORDED_ERROR(relu_of_bools) { tf::nn::relu(tf::placeholder(tf::boolean, {2})); }
RECORDED_ERROR(dropout_keep_prob_out_of_range) { tf::nn::dropout(floats({2}), {.keep_prob = 1.5}); }
RECORDED_ERROR(dropout_rate_out_of_range) { tf::nn::dropout(floats({2}), {.rate = 1.0}); }

tf::nn::CellResult run_gru(const tf::TensorShape& shape, bool time_major = false) {
  tf::nn::GRUCell cell(4);
  return tf::nn::dynamic_rnn(cell, floats(shape), {.dtype = tf::float32, .time_major = time_major});
}
RECORDED_ERROR(dynamic_rnn_of_a_matrix) { run_gru({2, 3}); }
RECORDED_ERROR(dynamic_rnn_of_a_matrix_with_time_first) { run_gru({2, 3}, /*time_major=*/true); }
RECORDED_ERROR(dynamic_rnn_of_a_vector) { run_gru({2}); }

// ---- running

RECORDED_ERROR(run_conv2d_channels) {
  auto x = unknown("x"), y = unknown("y");
  auto conv = tf::nn::conv2d(x, y, {.strides = kOnes, .padding = "SAME"});
  run(conv, {{x, zeros({1, 8, 8, 3})}, {y, zeros({3, 3, 4, 8})}});
}
RECORDED_ERROR(run_bias_add_size) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::nn::bias_add(x, y), {{x, zeros({2, 3})}, {y, zeros({4})}});
}
RECORDED_ERROR(run_sparse_labels_out_of_range) {
  auto labels = tf::placeholder(tf::int32, {2}, {.name = "labels"});
  run(tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = tf::zeros({2, 3})}),
      {{labels, Array({0, 3})}});
}
RECORDED_ERROR(run_softmax_cross_entropy_shapes) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = x, .logits = y}),
      {{x, zeros({2, 3})}, {y, zeros({2, 4})}});
}
RECORDED_ERROR(run_softmax_of_scalar) {
  auto x = unknown("x");
  run(tf::nn::softmax(x), {{x, 1.f}});
}
RECORDED_ERROR(run_conv2d_gradient_shape) {
  auto x = floats({1, 4, 4, 1}), g = unknown("g");
  auto conv = tf::nn::conv2d(x, tf::zeros({3, 3, 1, 1}), {.strides = kOnes, .padding = "SAME"});
  run(tf::gradients(conv, {x}, {.grad_ys = {g}})[0], {{x, zeros({1, 4, 4, 1})}, {g, zeros({1, 3, 3, 1})}});
}

}  // namespace
}  // namespace flowray
