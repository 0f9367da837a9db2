#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/collections.h"
#include "tf/metrics/broadcast_weights.h"
#include "tf/metrics/metric_parts.h"
#include "tf/metrics/squeezable.h"

#include <fmt/format.h>

#include <string_view>

namespace flowray::tf::metrics {

// ---- parts

Variable metric_variable(const TensorShape& shape, DType dtype, const std::string& name) {
  if (default_graph().is_eager()) {
    throw RuntimeError(
        "tf.metrics are not supported when eager execution is enabled.\nThey count in steps of a session: "
        "make them "
        "in a graph, graph.as_default(), or count in variables of the program's own.");
  }
  return Variable([&] { return zeros(shape, dtype); },
                  {.trainable = false,
                   .collections = {internal::kLocalVariables, internal::kMetricVariables},
                   .name = name});
}

Measured measured(graph::Graph& graph, const Input& labels, const Input& predictions,
                  const OptionalInput& weights) {
  Measured result;
  const Tensor guess = to_tensor(graph, predictions, "predictions");
  const Tensor truth = to_tensor(graph, labels, "labels");
  std::tie(result.labels, result.predictions) = remove_squeezable_dimensions(graph, truth, guess);
  if (!result.predictions.shape().is_compatible_with(result.labels.shape())) {
    throw ValueError(fmt::format("Shapes {} and {} are incompatible",
                                 result.predictions.shape().to_tuple_string(),
                                 result.labels.shape().to_tuple_string()));
  }
  if (weights.has_value()) {
    result.weights = weights_of_rank(to_tensor(graph, *weights, "Const"), result.predictions);
  }
  return result;
}

VariableScopeGuard metric_scope(const std::string& name, const std::string& default_name) {
  return variable_scope(name, {.default_name = default_name});
}

template <class Options>
Metric collected(const Metric& metric, const Options& options) {
  internal::Collections& collections = internal::collections_of(metric.value.node()->graph());
  for (const std::string& name : options.metrics_collections) collections.add(name, metric.value.node());
  for (const std::string& name : options.updates_collections) collections.add(name, metric.update.node());
  return metric;
}
template Metric collected(const Metric&, const MetricOptions&);
template Metric collected(const Metric&, const AucOptions&);
template Metric collected(const Metric&, const AtRateOptions&);
template Metric collected(const Metric&, const AtKOptions&);
template Metric collected(const Metric&, const AtTopKOptions&);

// ---- means

namespace {

/// Values that count as much as their weights, and those; the weights are None where none were given.
struct Weighted {
  Tensor values, weights;
};

Weighted weighted(graph::Graph& graph, const Tensor& given, const OptionalInput& weights) {
  const Tensor values = cast(given, DType::kFloat32);
  if (!weights.has_value()) return {values, {}};
  const Tensor some = weights_of_rank(to_tensor(graph, *weights, "Const"), values);
  const Tensor all = broadcast_weights(graph, cast(some, DType::kFloat32), values);
  return {multiply(values, all), all};
}

/// The mean from sums of values and weights.
Metric ratio(const Variable& total, const Variable& count, const Tensor& sum, const Tensor& number,
             const Tensor& values) {
  const Tensor new_total = total.assign_add(sum);
  Tensor new_count;
  {
    const ControlDependenciesGuard wait = control_dependencies({values});
    new_count = count.assign_add(number);
  }
  Metric metric;
  metric.value = div_no_nan(total, maximum(count, 0.0), {.name = "value"});
  metric.update = div_no_nan(new_total, maximum(new_count, 0.0), {.name = "update_op"});
  return metric;
}

Metric mean_of(graph::Graph& graph, const Tensor& given, const OptionalInput& weights,
               const std::string& name, std::string_view default_name) {
  const VariableScopeGuard scope = metric_scope(name, std::string(default_name));
  const Tensor as_float = cast(given, DType::kFloat32);
  const Variable total = metric_variable(TensorShape{}, DType::kFloat32, "total");
  const Variable count = metric_variable(TensorShape{}, DType::kFloat32, "count");
  const Weighted of = weighted(graph, as_float, weights);
  const Tensor number =
      of.weights.has_value() ? reduce_sum(of.weights) : cast(size(of.values), DType::kFloat32);
  const Tensor sum = reduce_sum(of.values);
  return ratio(total, count, sum, number, of.values);
}

/// The mean of what `error` makes of labels and predictions.
template <class Error>
Metric mean_error(const Input& labels, const Input& predictions, const MetricOptions& options,
                  std::string_view default_name, Error error) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const Measured of = measured(*graph, labels, predictions, options.weights);
  const OptionalInput weights = of.weights.has_value() ? OptionalInput(of.weights) : OptionalInput();
  return mean_of(*graph, error(of.labels, of.predictions), weights, options.name, default_name);
}

}  // namespace

Metric mean(const Input& values, const MetricOptions& options) {
  const MetricGraph graph({"values", values}, options.weights);
  const Tensor given = to_tensor(*graph, values, "values");
  return collected(mean_of(*graph, given, options.weights, options.name, "mean"), options);
}

Metric mean_tensor(const Input& values, const MetricOptions& options) {
  const MetricGraph graph({"values", values}, options.weights);
  const Tensor given = to_tensor(*graph, values, "values");
  const VariableScopeGuard scope = metric_scope(options.name, "mean");
  const Tensor as_float = cast(given, DType::kFloat32);
  const Variable total = metric_variable(given.shape(), DType::kFloat32, "total_tensor");
  const Variable count = metric_variable(given.shape(), DType::kFloat32, "count_tensor");
  Tensor number = ones_like(as_float);
  const Weighted of = weighted(*graph, as_float, options.weights);
  if (of.weights.has_value()) number = multiply(number, of.weights);
  return collected(ratio(total, count, of.values, number, of.values), options);
}

Metric accuracy(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return collected(mean_error(labels, predictions, options, "accuracy",
                              [](const Tensor& truth, Tensor guess) {
                                const DType dtype = base_dtype(truth.dtype());
                                if (base_dtype(guess.dtype()) != dtype) guess = cast(guess, dtype);
                                return cast(equal(guess, truth), DType::kFloat32);
                              }),
                   options);
}

namespace {

Tensor square_of_error(const Tensor& labels, const Tensor& predictions) {
  return squared_difference(labels, predictions);
}

}  // namespace

Metric mean_squared_error(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return collected(mean_error(labels, predictions, options, "mean_squared_error", square_of_error), options);
}

Metric root_mean_squared_error(const Input& labels, const Input& predictions, const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const Metric squares = mean_error(labels, predictions, options, "root_mean_squared_error", square_of_error);
  Metric roots;
  roots.value = sqrt(squares.value);
  roots.update = sqrt(squares.update);
  return collected(roots, options);
}

Metric mean_absolute_error(const Input& labels, const Input& predictions, const MetricOptions& options) {
  const auto error = [](const Tensor& truth, const Tensor& guess) { return abs(guess - truth); };
  return collected(mean_error(labels, predictions, options, "mean_absolute_error", error), options);
}

Metric mean_relative_error(const Input& labels, const Input& predictions, const Input& normalizer,
                           const MetricOptions& options) {
  const auto error = [&](const Tensor& truth, const Tensor& guess) {
    graph::Graph& graph = default_graph();
    const Tensor given = to_tensor(graph, normalizer, "normalizer");
    const auto [by, same] = remove_squeezable_dimensions(graph, given, guess);
    const Tensor is_zero = equal(by, 0.0);
    const Tensor zeros = zeros_like(truth);
    const Tensor part = abs(truth - same) / by;
    return apply_op({.op = "Select", .args = {is_zero, zeros, part}});
  };
  return collected(mean_error(labels, predictions, options, "mean_relative_error", error), options);
}

Metric mean_cosine_distance(const Input& labels, const Input& predictions, int64_t dim,
                            const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const auto cosine = [&](const Tensor& truth, const Tensor& guess) {
    const Tensor products = multiply(guess, truth);
    const Array axes(std::vector<int32_t>{static_cast<int32_t>(dim)});
    return reduce_sum(products, {.axis = axes, .keepdims = true});
  };
  const Metric similarity = mean_error(labels, predictions, options, "mean_cosine_distance", cosine);
  Metric distance;
  distance.value = subtract(1.0, similarity.value);
  distance.update = subtract(1.0, similarity.update);
  return collected(distance, options);
}

Metric percentage_below(const Input& values, const Input& threshold, const MetricOptions& options) {
  const MetricGraph graph({"values", values}, {"threshold", threshold}, options.weights);
  const Tensor is_below = cast(less(values, threshold), DType::kFloat32);
  return collected(mean_of(*graph, is_below, options.weights, options.name, "percentage_below_threshold"),
                   options);
}

}  // namespace flowray::tf::metrics
