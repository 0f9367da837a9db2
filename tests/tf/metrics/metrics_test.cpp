// tests/oracle/programs/metrics.py in C++, and what the metrics are.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(metrics_means) {
  tf::metrics::mean(tf::placeholder(tf::float32, {tf::None}, {.name = "x"}));
  tf::metrics::mean(tf::placeholder(tf::int32, {2, 3}, {.name = "n"}), {.name = "of_integers"});
}

GOLDEN_PROGRAM(metrics_accuracies) {
  auto labels = tf::placeholder(tf::int64, {tf::None}, {.name = "labels"});
  tf::metrics::accuracy(labels, tf::placeholder(tf::int64, {tf::None}, {.name = "predictions"}));
  tf::metrics::accuracy(labels, tf::placeholder(tf::int32, {tf::None}, {.name = "others"}),
                        {.name = "second"});
}

TEST(Metrics, AreOfAllStepsUntilNow) {
  tf::reset_default_graph();
  auto labels = tf::placeholder(tf::int64, {tf::None});
  auto predictions = tf::placeholder(tf::int64, {tf::None});
  const tf::metrics::Metric accuracy = tf::metrics::accuracy(labels, predictions);
  tf::Session session;
  session.run(tf::local_variables_initializer());
  EXPECT_EQ(session.run(accuracy.value).item<float>(), 0.0F);
  const Array truth = Array(tf::int64, {4});  // zeros
  EXPECT_EQ(session.run(accuracy.update, {{labels, truth}, {predictions, truth}}).item<float>(), 1.0F);
  const Array wrong = Array(int64_t{1}).reshape({1});
  const Array right = Array(tf::int64, {1});
  EXPECT_EQ(session.run(accuracy.update, {{labels, right}, {predictions, wrong}}).item<float>(), 0.8F);
  EXPECT_EQ(session.run(accuracy.value).item<float>(), 0.8F);
}

}  // namespace
}  // namespace flowray
