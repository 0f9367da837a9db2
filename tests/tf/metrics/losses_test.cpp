// The losses of tests/oracle/programs/layers.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf.h>

namespace flowray {
namespace {

using tf::losses::Reduction;

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::float32, shape, {.name = name});
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

struct Known {
  tf::Tensor logits = floats({2, 3}, "logits");
  tf::Tensor labels = floats({2, 3}, "labels");
};

GOLDEN_PROGRAM(losses_with_weights) {
  Known a;
  tf::losses::mean_squared_error(a.labels, a.logits, {.weights = {{1.0}, {2.0}}});
  tf::losses::mean_squared_error(a.labels, a.logits,
                                 {.weights = {{1.0, 0.0, 2.0}, {2.0, 1.0, 1.0}}, .scope = "all"});
  auto w = floats({1, 3}, "w");
  tf::losses::absolute_difference(a.labels, a.logits, {.weights = w});
  tf::losses::softmax_cross_entropy(a.labels, a.logits, {.weights = {0.5, 0.25}});
  auto two = tf::constant(2);
  tf::losses::mean_squared_error(a.labels, a.logits, {.weights = two});
  tf::losses::mean_squared_error(a.labels, a.logits, {.weights = 3});
}

GOLDEN_PROGRAM(losses_reduced_otherwise) {
  LogitsAndLabels a;
  for (const char* reduction : {Reduction::NONE, Reduction::SUM, Reduction::MEAN,
                                Reduction::SUM_OVER_BATCH_SIZE, Reduction::SUM_OVER_NONZERO_WEIGHTS}) {
    tf::losses::mean_squared_error(a.labels, a.logits, {.weights = 0.5, .reduction = reduction});
  }
  Known b;
  tf::losses::softmax_cross_entropy(b.labels, b.logits, {.reduction = Reduction::SUM_OVER_BATCH_SIZE});
  tf::losses::sigmoid_cross_entropy(b.labels, b.logits, {.reduction = Reduction::NONE});
  tf::losses::compute_weighted_loss(b.logits, {.loss_collection = "", .reduction = Reduction::MEAN});
  tf::losses::compute_weighted_loss({1, 2}, {.weights = 2, .scope = "of_numbers"});
}

GOLDEN_PROGRAM(losses_smoothed) {
  LogitsAndLabels a;
  tf::losses::softmax_cross_entropy(a.labels, a.logits, {.label_smoothing = 0.1});
  tf::losses::sigmoid_cross_entropy(a.labels, a.logits, {.label_smoothing = 0.2});
  Known b;
  tf::losses::softmax_cross_entropy(b.labels, b.logits, {.label_smoothing = 0.25});
  tf::losses::sigmoid_cross_entropy(b.labels, b.logits, {.label_smoothing = -0.2});
}

GOLDEN_PROGRAM(losses_of_squeezed_classes) {
  auto logits = floats({4, 10}, "logits");
  auto classes = tf::placeholder(tf::int32, {4, 1}, {.name = "classes"});
  tf::losses::sparse_softmax_cross_entropy(classes, logits);
  tf::losses::sparse_softmax_cross_entropy(classes, logits, {.weights = {{1.0}, {2.0}, {0.0}, {1.0}}});
  tf::losses::sparse_softmax_cross_entropy({1, 2, 0, 3}, logits, {.weights = {1.0, 2.0, 0.0, 1.0}});
}

GOLDEN_PROGRAM(losses_together) {
  Known a;
  tf::losses::add_loss(tf::constant(1.0, {.name = "mine"}));
  tf::losses::add_loss(tf::constant(2.0, {.name = "mine_too"}));
  tf::losses::mean_squared_error(a.labels, a.logits, {.scope = "named"});
  tf::losses::add_loss(tf::constant(3.0, {.name = "small"}), "regularization_losses");
  tf::losses::get_regularization_loss();
  tf::losses::get_total_loss();
  tf::losses::get_total_loss({.add_regularization_losses = false, .name = "without"});
  tf::losses::get_total_loss({.name = "some", .scope = "mine|small"});
  tf::losses::get_regularization_loss({.scope = "nothing"});
  const auto named = tf::losses::get_losses("na");
  tf::add_n({named.begin(), named.end()}, {.name = "of_one"});
}

}  // namespace
}  // namespace flowray
