// Layers and losses of tf.nn make TensorFlow's nodes and names.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

tf::Tensor images() { return tf::placeholder(tf::float32, {tf::None, 28, 28, 3}, {.name = "images"}); }
tf::Tensor rows_of_four() { return tf::placeholder(tf::float32, {tf::None, 4}, {.name = "x"}); }

GOLDEN_PROGRAM(activations) {
  const auto x = rows_of_four();
  tf::nn::relu(x);
  tf::nn::relu6(x);
  tf::nn::elu(x);
  tf::nn::selu(x);
  tf::nn::softplus(x);
  tf::nn::softsign(x);
  tf::sigmoid(x);
  tf::tanh(x);
  tf::nn::relu(x, {.name = "named"});
  tf::nn::relu({-1.0, 1.0});
  tf::nn::leaky_relu(x);
}

GOLDEN_PROGRAM(softmaxes) {
  const auto x = rows_of_four();
  tf::nn::softmax(x);
  tf::nn::log_softmax(x);
  tf::nn::softmax(x, {.name = "named"});
  tf::nn::softmax(x, {.axis = -1});
  tf::nn::softmax(tf::placeholder(tf::float32, {2, 3, 4}));
  tf::nn::softmax(tf::placeholder(tf::float32, {4}));
}

GOLDEN_PROGRAM(softmax_over_another_axis) {
  tf::nn::softmax(tf::placeholder(tf::float32, {2, 3, 4}, {.name = "x"}), {.axis = 1});
  tf::nn::log_softmax(tf::placeholder(tf::float32, {2, 3}, {.name = "y"}), {.axis = 0});
}

GOLDEN_PROGRAM(softmax_over_an_axis_from_the_end) {
  tf::nn::log_softmax(tf::placeholder(tf::float32, {tf::None, 3}, {.name = "x"}),
                      {.axis = -2, .name = "named"});
}

GOLDEN_PROGRAM_WITHOUT(bias_adds, "zeros", "xw_plus_b") {
  const auto bias = tf::placeholder(tf::float32, {3}, {.name = "bias"});
  tf::nn::bias_add(images(), bias);
  tf::nn::bias_add(tf::placeholder(tf::float32, {tf::None, 3}), bias, {.name = "named"});
}

GOLDEN_PROGRAM_WITHOUT(l2_losses, "l2_normalize", "moments") { tf::nn::l2_loss(rows_of_four()); }

GOLDEN_PROGRAM(dropout_keep_prob) {
  const auto x = rows_of_four();
  tf::nn::dropout(x, {.keep_prob = 0.5});
  tf::nn::dropout(x, {.keep_prob = 0.75, .name = "named"});
}

GOLDEN_PROGRAM(dropout_rate) {
  const auto x = rows_of_four();
  tf::nn::dropout(x, {.rate = 0.5});
  tf::nn::dropout(x, {.rate = 0.0});
  tf::nn::dropout(tf::placeholder(tf::float32, {2, 4}), {.seed = 3, .rate = 0.25});
}

GOLDEN_PROGRAM(dropout_of_a_placeholder_rate) {
  const auto x = rows_of_four();
  tf::nn::dropout(x, {.rate = 1 - tf::placeholder(tf::float32, tf::TensorShape{}, {.name = "keep"})});
}

GOLDEN_PROGRAM(dropout_keep_prob_placeholder) {
  const auto x = rows_of_four();
  tf::nn::dropout(x, {.keep_prob = tf::placeholder(tf::float32, tf::TensorShape{}, {.name = "keep"})});
}

GOLDEN_PROGRAM(dropout_with_noise_shape_and_seeds) {
  tf::set_random_seed(5);
  const auto x = tf::placeholder(tf::float32, {2, 4}, {.name = "x"});
  tf::nn::dropout(x, {.noise_shape = Array({2, 1}), .rate = 0.5});
  tf::nn::dropout(x, {.seed = 9, .rate = 0.5});
}

struct Pair {
  tf::Tensor logits;
  tf::Tensor labels;
};
Pair logits_and_labels() {
  const auto logits = tf::placeholder(tf::float32, {tf::None, 10}, {.name = "logits"});
  return {logits, tf::placeholder(tf::float32, {tf::None, 10}, {.name = "labels"})};
}

GOLDEN_PROGRAM(softmax_cross_entropy) {
  const auto [logits, labels] = logits_and_labels();
  tf::nn::softmax_cross_entropy_with_logits({.labels = labels, .logits = logits});
}

GOLDEN_PROGRAM(softmax_cross_entropy_v2) {
  const auto [logits, labels] = logits_and_labels();
  tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits});
  tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits, .name = "named"});
}

GOLDEN_PROGRAM(softmax_cross_entropy_static_batch) {
  const auto logits = tf::placeholder(tf::float32, {5, 10}, {.name = "logits"});
  const auto labels = tf::placeholder(tf::float32, {5, 10}, {.name = "labels"});
  tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits});
  tf::nn::softmax_cross_entropy_with_logits({.labels = labels, .logits = logits});
}

GOLDEN_PROGRAM(softmax_cross_entropy_of_rank_three) {
  const auto logits = tf::placeholder(tf::float32, {2, 3, 4}, {.name = "logits"});
  tf::nn::softmax_cross_entropy_with_logits_v2({.labels = tf::nn::softmax(logits), .logits = logits});
}

GOLDEN_PROGRAM(sparse_softmax_cross_entropy_of_rank_three) {
  const auto logits = tf::placeholder(tf::float32, {2, 3, 4}, {.name = "logits"});
  const auto labels = tf::placeholder(tf::int32, {2, 3}, {.name = "labels"});
  tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = logits});
}

GOLDEN_PROGRAM(sparse_softmax_cross_entropy_of_unknown_shapes) {
  const auto logits = tf::placeholder(tf::float32, {tf::None, tf::None, 4}, {.name = "logits"});
  const auto labels = tf::placeholder(tf::int64, {tf::None, tf::None}, {.name = "labels"});
  tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = logits});
  const auto any_labels = tf::placeholder(tf::int64);
  const auto any_logits = tf::placeholder(tf::float32);
  tf::nn::sparse_softmax_cross_entropy_with_logits(
      {.labels = any_labels, .logits = any_logits, .name = "named"});
}

GOLDEN_PROGRAM(cross_entropies_of_halves) {
  const auto logits = tf::placeholder(tf::float16, {2, 3}, {.name = "logits"});
  const auto labels = tf::placeholder(tf::int32, {2}, {.name = "labels"});
  tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = logits});
  const auto shares = tf::placeholder(tf::float16, {2, 3}, {.name = "shares"});
  tf::nn::softmax_cross_entropy_with_logits_v2({.labels = shares, .logits = logits});
  const auto ones = tf::placeholder(tf::int32, {2, 3}, {.name = "ones"});
  tf::nn::softmax_cross_entropy_with_logits({.labels = ones, .logits = logits});
}

GOLDEN_PROGRAM(cross_entropies_over_another_axis) {
  const auto logits = tf::placeholder(tf::float32, {2, 3, 4}, {.name = "logits"});
  const auto labels = tf::placeholder(tf::float32, {2, 3, 4}, {.name = "labels"});
  tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits, .axis = 1});
  tf::nn::softmax_cross_entropy_with_logits({.labels = labels, .logits = logits, .axis = 0, .name = "named"});
}

GOLDEN_PROGRAM(sparse_softmax_cross_entropy) {
  const auto [logits, labels] = logits_and_labels();
  tf::nn::sparse_softmax_cross_entropy_with_logits(
      {.labels = tf::placeholder(tf::int64, {tf::None}), .logits = logits});
  tf::nn::sparse_softmax_cross_entropy_with_logits(
      {.labels = Array({1, 2}), .logits = logits, .name = "named"});
  const auto classes = tf::placeholder(tf::int32, {5});
  tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = classes, .logits = tf::zeros({5, 10})});
}

GOLDEN_PROGRAM(sigmoid_cross_entropy) {
  const auto [logits, labels] = logits_and_labels();
  tf::nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = logits});
  tf::nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = logits, .name = "named"});
}

GOLDEN_PROGRAM(cross_entropy_by_hand) {
  const auto [logits, labels] = logits_and_labels();
  const auto y = tf::nn::softmax(logits);
  tf::reduce_mean(-tf::reduce_sum(labels * tf::log(y), {.reduction_indices = {1}}));
}

GOLDEN_PROGRAM(in_a_scope) {
  const auto scope = tf::name_scope("layer");
  const auto x = images();
  const auto convolved =
      tf::nn::conv2d(x, tf::zeros({3, 3, 3, 4}), {.strides = {1, 1, 1, 1}, .padding = "SAME"});
  const auto y = tf::nn::relu(convolved + tf::ones({4}));
  tf::nn::softmax(tf::reduce_mean(y, Array({1, 2})));
}

GOLDEN_PROGRAM(pools) {
  tf::nn::avg_pool(images(), {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  tf::nn::avg_pool(images(),
                   {.ksize = {1, 3, 3, 1}, .strides = {1, 2, 2, 1}, .padding = "VALID", .name = "named"});
  tf::nn::max_pool(images(), {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  tf::nn::max_pool(images(),
                   {.ksize = {1, 3, 3, 1}, .strides = {1, 1, 1, 1}, .padding = "VALID", .name = "top"});
  tf::nn::avg_pool(images(), {.ksize = {2}, .strides = {2}, .padding = "VALID"});
  tf::nn::max_pool(images(), {.ksize = {2, 2}, .strides = {2}, .padding = "SAME"});
}

}  // namespace
}  // namespace flowray
