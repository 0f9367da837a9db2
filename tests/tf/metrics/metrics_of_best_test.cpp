// What metrics of the best k, at rates and of areas are, worked out by hand; their nodes are TensorFlow's by
// metrics_counts_test.cpp, what they refuse by tests/python/language/recorded_errors_test.py.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <functional>

namespace flowray {
namespace {

using namespace tf::metrics;

/// Two rows of five classes: the best are 3, 1, 2 in the first row and 0, 2, 4 in the second.
Array predicted() { return Array({{0.1F, 0.3F, 0.2F, 0.4F, 0.0F}, {0.9F, 0.1F, 0.8F, 0.0F, 0.2F}}); }
Array labelled() { return Array({{int64_t{3}, int64_t{2}}, {int64_t{0}, int64_t{2}}}); }

double number(const Array& value) {
  return value.dtype() == DType::kFloat64 ? value.item<double>() : value.item<float>();
}

/// The value after a step, and after the same one again.
void expect_value(const std::function<Metric()>& make, double value) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const Metric metric = make();
  tf::Session session;
  session.run(tf::local_variables_initializer());
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(number(session.run(metric.update)), value, 1e-6);
  EXPECT_NEAR(number(session.run(metric.value)), value, 1e-6);
}

TEST(MetricsOfBest, RecallIsOfTheLabels) {
  // Of two best, 3 of the first row and 0 and 2 of the second are labels; there are four.
  expect_value([] { return recall_at_k(labelled(), predicted(), 2); }, 3.0 / 4);
  expect_value([] { return recall_at_k(labelled(), predicted(), 5); }, 1);
  const Array best({{int64_t{3}}, {int64_t{1}}});
  expect_value([&] { return recall_at_top_k(labelled(), best, {.k = 1}); }, 1.0 / 4);
}

TEST(MetricsOfBest, PrecisionIsOfWhatIsPredicted) {
  expect_value([] { return precision_at_k(labelled(), predicted(), 3); }, 4.0 / 6);
  const Array best({{3}, {1}});  // int32
  expect_value([&] { return precision_at_top_k(labelled(), best); }, 1.0 / 2);
}

TEST(MetricsOfBest, RowsHaveWeights) {
  expect_value([] { return recall_at_k(labelled(), predicted(), 2, {.weights = Array({1.0F, 0.0F})}); }, 0.5);
  expect_value([] { return precision_at_k(labelled(), predicted(), 3, {.weights = Array({1.0F, 3.0F})}); },
               (2.0 + 3 * 2) / (3 + 3 * 3));
  expect_value(
      [] { return average_precision_at_k(labelled(), predicted(), 3, {.weights = Array({3.0F, 1.0F})}); },
      (3 * 5.0 / 6 + 1) / 4);
}

TEST(MetricsOfBest, OneClassMayCount) {
  // 2 is a label of both rows, and one of the two best of the second.
  expect_value([] { return recall_at_k(labelled(), predicted(), 2, {.class_id = 2}); }, 0.5);
  // 1 is one of three best once, and no label.
  expect_value([] { return precision_at_k(labelled(), predicted(), 3, {.class_id = 1}); }, 0);
}

TEST(MetricsOfBest, AveragePrecisionIsOfRightPlaces) {
  // 3, 1, 2 are right in places 1 and 3: (1 + 2/3) / 2; 0, 2, 4 in 1 and 2: 1.
  expect_value([] { return average_precision_at_k(labelled(), predicted(), 3); }, (5.0 / 6 + 1) / 2);
  // Of one place one label is to be had.
  expect_value([] { return average_precision_at_k(labelled(), predicted(), 1); }, 1);
  // One label of each row, without a dimension: 2 in place 3, 0 in place 1.
  const Array flat({int64_t{2}, int64_t{0}});
  expect_value([&] { return average_precision_at_k(flat, predicted(), 3); }, (1.0 / 3 + 1) / 2);
}

TEST(MetricsOfBest, LabelsThatAreNoClassesCountForNothing) {
  const Array labels({{int64_t{3}, int64_t{9}}, {int64_t{0}, int64_t{-1}}});
  expect_value([&] { return average_precision_at_k(labels, predicted(), 3); }, 1);
}

TEST(MetricsOfBest, LabelsMayBeSparse) {
  const auto labels = [] {
    return tf::SparseTensor(
        Array({{int64_t{0}, int64_t{0}}, {int64_t{0}, int64_t{1}}, {int64_t{1}, int64_t{0}}}),
        Array({int64_t{2}, int64_t{3}, int64_t{4}}), Array({int64_t{2}, int64_t{2}}));
  };
  expect_value([&] { return recall_at_k(labels(), predicted(), 2); }, 1.0 / 3);
  expect_value([&] { return precision_at_k(labels(), predicted(), 3); }, 3.0 / 6);
  // 3, 1, 2: (1 + 2/3) / 2; 0, 2, 4: 1/3.
  expect_value([&] { return average_precision_at_k(labels(), predicted(), 3); }, (5.0 / 6 + 1.0 / 3) / 2);
}

/// At the threshold 0.5 one of two that are true is predicted, and one of three that are not.
Array truths() { return Array({false, false, false, true, true}); }
Array guesses() { return Array({0.1F, 0.6F, 0.4F, 0.8F, 0.3F}); }

TEST(MetricsOfBest, RatesAreThoseOfTheNearestThreshold) {
  expect_value([] { return sensitivity_at_specificity(truths(), guesses(), 0.7, {.num_thresholds = 3}); },
               0.5);
  expect_value([] { return sensitivity_at_specificity(truths(), guesses(), 0.1, {.num_thresholds = 3}); }, 1);
  expect_value([] { return specificity_at_sensitivity(truths(), guesses(), 0.5, {.num_thresholds = 3}); },
               2.0 / 3);
  EXPECT_THROW(sensitivity_at_specificity(truths(), guesses(), 0.5, {.num_thresholds = int64_t{1} << 40}),
               tf::ValueError);
}

TEST(MetricsOfBest, AreasMayBeThoseBelowAndAbove) {
  // The curve: (1, 1), (1/3, 1/2), (0, 0).
  const auto area = [](const std::string& method) {
    return [method] { return auc(truths(), guesses(), {.num_thresholds = 3, .summation_method = method}); };
  };
  constexpr double kClose = 1.0 / 3;
  expect_value(area("minoring"), kClose);
  expect_value(area("majoring"), 2.0 / 3 + 1.0 / 6);
  expect_value(area("trapezoidal"), 2.0 / 3 * 0.75 + 1.0 / 12);
  // Thresholds of any order: (1, 1), (2/3, 1), (1/3, 1/2), (0, 0).
  expect_value(
      [] { return auc(truths(), guesses(), {.summation_method = "minoring", .thresholds = {0.5, 0.2}}); },
      1.0 / 3 + 1.0 / 6);
}

TEST(MetricsOfBest, AreNotOfMoreThanThereCanBe) {
  tf::reset_default_graph();
  const auto labels = tf::placeholder(tf::int64, {2, 2});
  const auto predictions = tf::placeholder(tf::float32, {2, tf::None});
  EXPECT_THROW(average_precision_at_k(labels, predictions, int64_t{1} << 40), tf::ValueError);
  recall_at_k(labels, predictions, int64_t{1} << 40);  // the step's error
}

}  // namespace
}  // namespace flowray
