// tests/oracle/programs/metrics_counts.py in C++, and what the metrics are.
#include <flowray/tf.h>
#include <flowray/tf/metrics.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

using namespace tf::metrics;

struct Pair {
  tf::Tensor labels, predictions;
  explicit Pair(const tf::TensorShape& shape = {tf::None}, DType dtype = tf::float32) {
    labels = tf::placeholder(dtype, shape, {.name = "labels"});
    predictions = tf::placeholder(dtype, shape, {.name = "predictions"});
  }
};

GOLDEN_PROGRAM(metrics_of_weights_of_unknown_shape) {
  const auto x = tf::placeholder(tf::float32, {tf::None, 3}, {.name = "x"});
  mean(x, {.weights = tf::placeholder(tf::float32, {tf::None, 1}, {.name = "w"})});
}

GOLDEN_PROGRAM(metrics_of_weights) {
  const auto x = tf::placeholder(tf::float32, {4, 3}, {.name = "x"});
  const auto w = tf::placeholder(tf::float32, {4, 1}, {.name = "w"});
  mean(x, {.weights = w});
  mean(x, {.weights = 2.0,
           .metrics_collections = {"values"},
           .updates_collections = {"updates"},
           .name = "of_a_number"});
  const Pair of({4}, tf::int64);
  accuracy(of.labels, of.predictions, {.weights = {1.0, 0.0, 1.0, 1.0}});
}

GOLDEN_PROGRAM(metrics_of_errors) {
  const Pair of;
  mean_squared_error(of.labels, of.predictions);
  root_mean_squared_error(of.labels, of.predictions);
  mean_absolute_error(of.labels, of.predictions, {.name = "absolute"});
  const auto normalizer = tf::placeholder(tf::float32, {tf::None}, {.name = "normalizer"});
  mean_relative_error(of.labels, of.predictions, normalizer);
  percentage_below(of.predictions, 0.5);
  mean_tensor(tf::placeholder(tf::float32, {2, 3}, {.name = "x"}));
}

GOLDEN_PROGRAM(metrics_of_angles) {
  const Pair of({tf::None, 3});
  mean_cosine_distance(of.labels, of.predictions, 1);
}

GOLDEN_PROGRAM(metrics_of_squeezed_labels) {
  const auto labels = tf::placeholder(tf::int64, {tf::None, 1}, {.name = "labels"});
  accuracy(labels, tf::placeholder(tf::int64, {tf::None}, {.name = "predictions"}));
}

GOLDEN_PROGRAM(metrics_of_truth) {
  const Pair of;
  true_positives(of.labels, of.predictions);
  false_positives(of.labels, of.predictions);
  true_negatives(of.labels, of.predictions);
  false_negatives(of.labels, of.predictions, {.name = "missed"});
}

GOLDEN_PROGRAM(metrics_of_weighted_truth) {
  const Pair of({4}, tf::boolean);
  true_positives(of.labels, of.predictions, {.weights = {1.0, 2.0, 3.0, 4.0}});
}

GOLDEN_PROGRAM(metrics_of_precision) {
  const Pair of;
  precision(of.labels, of.predictions);
}

GOLDEN_PROGRAM(metrics_of_recall) {
  const Pair of;
  recall(of.labels, of.predictions);
}

GOLDEN_PROGRAM(metrics_at_thresholds) {
  const Pair of;
  true_positives_at_thresholds(of.labels, of.predictions, {0.25, 0.75});
  precision_at_thresholds(of.labels, of.predictions, {0.5});
  recall_at_thresholds(of.labels, of.predictions, {0.5});
}

GOLDEN_PROGRAM(metrics_of_areas) {
  const Pair of;
  auc(of.labels, of.predictions, {.num_thresholds = 5});
}

GOLDEN_PROGRAM(metrics_of_areas_of_precision) {
  const Pair of;
  auc(of.labels, of.predictions,
      {.num_thresholds = 4, .curve = "PR", .name = "area", .summation_method = "careful_interpolation"});
}

GOLDEN_PROGRAM(metrics_of_lower_and_upper_areas) {
  const Pair of;
  auc(of.labels, of.predictions, {.num_thresholds = 3, .summation_method = "minoring"});
  auc(of.labels, of.predictions,
      {.curve = "PR", .name = "upper", .summation_method = "majoring", .thresholds = {0.75, 0.25}});
  auc(of.labels, of.predictions,
      {.num_thresholds = 3, .name = "straight", .summation_method = "careful_interpolation"});
}

GOLDEN_PROGRAM(metrics_at_rates) {
  const Pair of;
  sensitivity_at_specificity(of.labels, of.predictions, 0.75, {.num_thresholds = 4});
  specificity_at_sensitivity(of.labels, of.predictions, 0.5,
                             {.num_thresholds = 3,
                              .metrics_collections = {"values"},
                              .updates_collections = {"updates"},
                              .name = "rate"});
}

GOLDEN_PROGRAM(metrics_of_best) {
  const auto labels = tf::placeholder(tf::int64, {4, 2}, {.name = "labels"});
  const auto predictions = tf::placeholder(tf::float32, {4, 5}, {.name = "predictions"});
  recall_at_k(labels, predictions, 2);
  precision_at_k(labels, predictions, 3, {.weights = tf::placeholder(tf::float32, {4}, {.name = "w"})});
  precision_at_top_k(
      labels, tf::placeholder(tf::int32, {4, 3}, {.name = "best"}),
      {.metrics_collections = {"values"}, .updates_collections = {"updates"}, .name = "of_top"});
  const auto flat = tf::placeholder(tf::int64, {4}, {.name = "flat"});
  recall_at_top_k(flat, tf::placeholder(tf::int64, {4, 3}, {.name = "other"}), {.k = 3});
}

GOLDEN_PROGRAM(metrics_of_best_of_a_class) {
  const auto labels = tf::placeholder(tf::int64, {4, 2}, {.name = "labels"});
  recall_at_k(labels, tf::placeholder(tf::float32, {4, 5}, {.name = "predictions"}), 2, {.class_id = 3});
  const auto unknown = tf::placeholder(tf::int64, {tf::None, 2}, {.name = "unknown"});
  precision_at_k(unknown, tf::placeholder(tf::float32, {tf::None, 5}, {.name = "guesses"}), 1,
                 {.class_id = 0, .name = "zeros"});
}

GOLDEN_PROGRAM(metrics_of_best_of_sparse_labels) {
  const auto labels = tf::sparse_placeholder(tf::int64, {4, 5}, {.name = "labels"});
  const auto predictions = tf::placeholder(tf::float32, {4, 5}, {.name = "predictions"});
  precision_at_k(labels, predictions, 2);
  recall_at_k(labels, predictions, 2, {.class_id = 1});
}

GOLDEN_PROGRAM(metrics_of_average_precision) {
  const auto predictions = tf::placeholder(tf::float32, {4, 5}, {.name = "predictions"});
  average_precision_at_k(tf::placeholder(tf::int64, {4, 2}, {.name = "labels"}), predictions, 2);
  const auto flat = tf::placeholder(tf::int64, {4}, {.name = "flat"});
  average_precision_at_k(flat, predictions, 1,
                         {.weights = tf::placeholder(tf::float32, {4}, {.name = "w"}), .name = "weighted"});
}

GOLDEN_PROGRAM(metrics_of_average_precision_of_sparse_labels) {
  const auto labels = tf::sparse_placeholder(tf::int64, {4, 5}, {.name = "labels"});
  average_precision_at_k(labels, tf::placeholder(tf::float32, {4, 5}, {.name = "predictions"}), 3);
}

GOLDEN_PROGRAM(metrics_of_confusion) {
  const Pair of({tf::None}, tf::int64);
  mean_iou(of.labels, of.predictions, 3);
  mean_per_class_accuracy(of.labels, of.predictions, 3);
}

GOLDEN_PROGRAM(matrices_of_confusion) {
  const Pair of({tf::None}, tf::int64);
  tf::confusion_matrix(of.labels, of.predictions);
  tf::confusion_matrix(of.labels, of.predictions, {.num_classes = 4, .dtype = tf::float32, .name = "known"});
  tf::confusion_matrix({1, 2}, {1, 0}, {.num_classes = 3, .name = "weighted", .weights = {2, 3}});
}

GOLDEN_PROGRAM(summaries_of_texts) {
  tf::summary::text("note", tf::constant("hello"));
  const auto x = tf::placeholder(tf::string, {tf::None}, {.name = "x"});
  tf::summary::text("notes", x, {.collections = {"mine"}});
}

GOLDEN_PROGRAM(summaries_of_tensors) {
  tf::summary::tensor_summary("values", tf::placeholder(tf::float32, {2}, {.name = "x"}));
  const auto y = tf::placeholder(tf::float32, {2}, {.name = "y"});
  tf::summary::tensor_summary("titled", y,
                              {.summary_description = "What", .family = "f", .display_name = "Title"});
}

GOLDEN_PROGRAM(what_is_not_initialized) {
  const auto v = tf::Variable({1.0, 2.0}, {.name = "v"});
  tf::Variable(2.0, {.collections = {"local_variables"}, .name = "w"});
  tf::report_uninitialized_variables();
  tf::report_uninitialized_variables({v}, {.name = "some"});
  tf::assert_variables_initialized();
}

GOLDEN_PROGRAM(nothing_to_initialize) {
  tf::report_uninitialized_variables();
  EXPECT_FALSE(tf::assert_variables_initialized().has_value());
}

TEST(Metrics, OfTruthCountOverAllSteps) {
  tf::reset_default_graph();
  const Pair of;
  const Metric exact = precision(of.labels, of.predictions);
  const Metric found = recall(of.labels, of.predictions);
  const Metric area = auc(of.labels, of.predictions, {.num_thresholds = 3});
  tf::Session session;
  session.run(tf::local_variables_initializer());
  EXPECT_EQ(session.run(exact.value).item<float>(), 0.0F);
  const auto vector = [](const std::vector<float>& values) { return Array(values); };
  const auto step = [&](const tf::Tensor& fetch) {
    return session.run(fetch, {{of.labels, vector({1, 1, 0, 0})}, {of.predictions, vector({1, 0, 1, 0})}});
  };
  for (int i = 0; i < 2; ++i) {
    step(exact.update);
    step(found.update);
  }
  EXPECT_EQ(session.run(exact.value).item<float>(), 0.5F);
  EXPECT_EQ(session.run(found.value).item<float>(), 0.5F);
  // Half of the ones are above each threshold between, and so are half of the zeros: a straight line.
  EXPECT_NEAR(step(area.update).item<float>(), 0.5, 1e-5);
  EXPECT_THROW(session.run(area.update, {{of.labels, vector({1})}, {of.predictions, vector({2})}}),
               errors::InvalidArgumentError);
}

TEST(Metrics, OfClassesGoByTheirMatrix) {
  tf::reset_default_graph();
  const auto labels = tf::constant({0, 0, 1, 1});
  const auto predictions = tf::constant({0, 1, 1, 1});
  const auto matrix = tf::confusion_matrix(labels, predictions);
  const Metric unions = mean_iou(labels, predictions, 2);
  const Metric classes = mean_per_class_accuracy(labels, predictions, 2);
  tf::Session session;
  session.run(tf::local_variables_initializer());
  const Array counts = session.run(matrix);
  EXPECT_EQ(std::vector<int>(counts.data<int>(), counts.data<int>() + 4), (std::vector<int>{1, 1, 0, 2}));
  session.run(unions.update);
  session.run(classes.update);
  EXPECT_NEAR(session.run(unions.value).item<float>(), (1.0 / 2 + 2.0 / 3) / 2, 1e-6);
  EXPECT_EQ(session.run(classes.value).item<float>(), 0.75F);
}

}  // namespace
}  // namespace flowray
