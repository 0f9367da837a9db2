#pragma once
/// What metrics are made of.

#include <flowray/tf/metrics.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/call_scope.h"

#include <string>

namespace flowray::tf::metrics {

/// A metric's own variable of zeros.
Variable metric_variable(const TensorShape& shape, DType dtype, const std::string& name);

/// Labels, predictions and weights of one rank; None for weights that were not given.
struct Measured {
  Tensor labels, predictions, weights;
};
/// Throws ValueError for shapes that do not fit. In the current scopes.
Measured measured(graph::Graph& graph, const Input& labels, const Input& predictions,
                  const OptionalInput& weights);

/// The graph of a metric's arguments, in which all that follows is made.
class MetricGraph : public CallScope {
 public:
  MetricGraph(const Argument& labels, const Argument& predictions, const OptionalInput& weights)
      : CallScope({labels, predictions, {"weights", weights}}) {}
  /// For metrics of one argument.
  MetricGraph(const Argument& values, const OptionalInput& weights) : MetricGraph(values, values, weights) {}
  graph::Graph& operator*() const { return graph(); }
};

/// The scope of a metric's variables.
VariableScopeGuard metric_scope(const std::string& name, const std::string& default_name);

/// The metric, added to the collections that its options name.
template <class Options>
Metric collected(const Metric& metric, const Options& options);

}  // namespace flowray::tf::metrics
