#pragma once
/// Counts of true and false predictions, where a prediction is true above a threshold.

#include "tf/metrics/metric_parts.h"

#include <vector>

namespace flowray::tf::metrics {

struct CountsWanted {
  bool true_positives = false;
  bool false_negatives = false;
  bool true_negatives = false;
  bool false_positives = false;
};

/// Counts for each threshold, [thresholds]; unset where they are not wanted.
struct CountsAtThresholds {
  Metric true_positives, false_negatives, true_negatives, false_positives;
};

/// In the current scope.
CountsAtThresholds counts_at_thresholds(graph::Graph& graph, const Input& labels, const Input& predictions,
                                        const std::vector<double>& thresholds, const OptionalInput& weights,
                                        const CountsWanted& wanted);

}  // namespace flowray::tf::metrics
