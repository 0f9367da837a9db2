// tests/oracle/programs/distance_losses.py in C++, and weights that the step looks at.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

struct Pair {
  tf::Tensor labels, predictions;
  explicit Pair(const tf::TensorShape& shape = {4, 3}) {
    labels = tf::placeholder(tf::float32, shape, {.name = "labels"});
    predictions = tf::placeholder(tf::float32, shape, {.name = "predictions"});
  }
};

GOLDEN_PROGRAM(losses_of_weights_of_unknown_shape) {
  const Pair of({tf::None, 3});
  tf::losses::mean_squared_error(of.labels, of.predictions,
                                 {.weights = tf::placeholder(tf::float32, {tf::None, 1}, {.name = "w"})});
}

GOLDEN_PROGRAM(losses_of_weights_of_unknown_rank) {
  const Pair of({tf::None, 3});
  tf::losses::absolute_difference(of.labels, of.predictions,
                                  {.weights = tf::placeholder(tf::float32, {.name = "w"})});
}

GOLDEN_PROGRAM(losses_of_logarithms) {
  const Pair of;
  tf::losses::log_loss(of.labels, of.predictions);
  const auto w = tf::placeholder(tf::float32, {4, 1}, {.name = "w"});
  tf::losses::log_loss(of.labels, of.predictions, {.weights = w, .epsilon = 0.5, .scope = "weighted"});
}

GOLDEN_PROGRAM(losses_of_huber) {
  const Pair of;
  tf::losses::huber_loss(of.labels, of.predictions);
  tf::losses::huber_loss(
      of.labels, of.predictions,
      {.weights = 2.0, .delta = 0.5, .scope = "near", .reduction = tf::losses::Reduction::SUM});
}

GOLDEN_PROGRAM(losses_of_hinges) {
  const Pair of;
  tf::losses::hinge_loss(of.labels, of.predictions);
  const auto n = tf::placeholder(tf::int32, {4, 3}, {.name = "n"});
  tf::losses::hinge_loss(n, of.predictions, {.scope = "of_integers"});
}

GOLDEN_PROGRAM(losses_of_angles) {
  const Pair of;
  tf::losses::cosine_distance(of.labels, of.predictions, 1);
  tf::losses::cosine_distance(of.labels, of.predictions, 0,
                              {.weights = {{1.0, 2.0, 3.0}}, .scope = "columns"});
}

GOLDEN_PROGRAM(losses_of_pairs) {
  const Pair of;
  tf::losses::mean_pairwise_squared_error(of.labels, of.predictions);
  const auto w = tf::placeholder(tf::float32, {4, 1}, {.name = "w"});
  tf::losses::mean_pairwise_squared_error(of.labels, of.predictions, {.weights = w, .scope = "weighted"});
}

TEST(Losses, LookAtWeightsInTheStep) {
  tf::reset_default_graph();
  const Pair of({tf::None, 2});
  const auto w = tf::placeholder(tf::float32, {tf::None, 1});
  const auto loss = tf::losses::mean_squared_error(of.labels, of.predictions, {.weights = w});
  tf::Session session;
  const Array zeros = Array(tf::float32, {2, 2});
  const Array ones = Array::from(std::vector<float>{1, 1, 3, 3}, Shape{2, 2});
  const Array weights = Array::from(std::vector<float>{0, 2}, Shape{2, 1});
  // (0 * 1 + 2 * 9) * 2 elements, of which 2 have a weight
  EXPECT_EQ(session.run(loss, {{of.labels, zeros}, {of.predictions, ones}, {w, weights}}).item<float>(),
            18.0F);
  const Array three = Array(tf::float32, {3, 1});
  EXPECT_THROW(session.run(loss, {{of.labels, zeros}, {of.predictions, ones}, {w, three}}),
               errors::InvalidArgumentError);
}

TEST(Losses, OfPairsIsTheMeanOverAllOfThem) {
  tf::reset_default_graph();
  // Errors 0, 1, 3: the pairs differ by 1, 3, 2; (1 + 9 + 4) / 3.
  const auto loss = tf::losses::mean_pairwise_squared_error({{0.0, 0.0, 0.0}}, {{0.0, 1.0, 3.0}});
  tf::Session session;
  EXPECT_NEAR(session.run(loss).item<float>(), 14.0 / 3.0, 1e-6);
}

}  // namespace
}  // namespace flowray
