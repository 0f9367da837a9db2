#pragma once
/// What is true and predicted where predictions are true above thresholds.

#include "tf/metrics/metric_parts.h"

#include <vector>

namespace flowray::tf::metrics {

struct CountsWanted {
  bool true_positives = false;
  bool false_negatives = false;
  bool true_negatives = false;
  bool false_positives = false;
};

/// Of each threshold, [thresholds]; none for those that are not wanted.
struct CountsAtThresholds {
  Metric true_positives, false_negatives, true_negatives, false_positives;
};

/// In the current scope.
CountsAtThresholds counts_at_thresholds(graph::Graph& graph, const Input& labels, const Input& predictions,
                                        const std::vector<double>& thresholds, const OptionalInput& weights,
                                        const CountsWanted& wanted);

}  // namespace flowray::tf::metrics
