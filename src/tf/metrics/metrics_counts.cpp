// Metrics of what is true and predicted, at once or at thresholds.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/metrics/broadcast_weights.h"
#include "tf/metrics/metric_parts.h"
#include "tf/metrics/metrics_thresholds.h"

#include <fmt/format.h>

namespace flowray::tf::metrics {
namespace {

/// How often the condition holds, in the current scope.
Metric count_condition(const Tensor& condition, const Tensor& weights) {
  assert_type(condition, DType::kBool);
  const Variable count = metric_variable(TensorShape{}, DType::kFloat32, "count");
  Tensor values = cast(condition, DType::kFloat32);
  if (weights.has_value()) {
    const Tensor dimensions = rank(values);
    const ControlDependenciesGuard fits = control_dependencies({assert_rank_in(weights, {0, dimensions})});
    values = multiply(values, cast(weights, DType::kFloat32));
  }
  Metric metric;
  metric.value = identity(count);
  metric.update = count.assign_add(reduce_sum(values));
  return metric;
}

struct Condition {
  const char* name;
  bool label;
  bool prediction;
};
constexpr Condition kTruePositives = {"true_positives", true, true};
constexpr Condition kFalsePositives = {"false_positives", false, true};
constexpr Condition kTrueNegatives = {"true_negatives", false, false};
constexpr Condition kFalseNegatives = {"false_negatives", true, false};

OptionalInput optional(const Tensor& weights) {
  return weights.has_value() ? OptionalInput(weights) : OptionalInput();
}

Metric count_where(const Condition& condition, const Input& labels, const Input& predictions,
                   const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, condition.name);
  const Tensor guess = cast(predictions, DType::kBool);
  const Tensor truth = cast(labels, DType::kBool);
  const Measured of = measured(*graph, truth, guess, options.weights);
  const Tensor is_label = equal(of.labels, condition.label);
  const Tensor holds = logical_and(is_label, equal(of.predictions, condition.prediction));
  return collected(count_condition(holds, of.weights), options);
}

/// Precision or recall: which part of both the first is.
Metric part_of(const char* name, const Condition& other, const Input& labels, const Input& predictions,
               const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, name);
  const Tensor guess = cast(predictions, DType::kBool);
  const Tensor truth = cast(labels, DType::kBool);
  const Measured of = measured(*graph, truth, guess, options.weights);
  const MetricOptions inner = {.weights = optional(of.weights)};
  const Metric right = count_where(kTruePositives, of.labels, of.predictions, inner);
  const Metric wrong = count_where(other, of.labels, of.predictions, inner);
  const auto part = [](const Tensor& first, const Tensor& second, const char* result) {
    const Tensor is_any = greater(first + second, 0);
    const Tensor of_both = divide(first, first + second);
    return apply_op({.op = "Select", .name = result, .args = {is_any, of_both, 0}});
  };
  Metric metric;
  metric.value = part(right.value, wrong.value, "value");
  metric.update = part(right.update, wrong.update, "update_op");
  return collected(metric, options);
}

}  // namespace

Metric true_positives(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return count_where(kTruePositives, labels, predictions, options);
}
Metric false_positives(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return count_where(kFalsePositives, labels, predictions, options);
}
Metric true_negatives(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return count_where(kTrueNegatives, labels, predictions, options);
}
Metric false_negatives(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return count_where(kFalseNegatives, labels, predictions, options);
}
Metric precision(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return part_of("precision", kFalsePositives, labels, predictions, options);
}
Metric recall(const Input& labels, const Input& predictions, const MetricOptions& options) {
  return part_of("recall", kFalseNegatives, labels, predictions, options);
}

// ---- at thresholds

namespace {

/// Rows of thresholds, columns of predictions.
class Grid {
 public:
  Grid(graph::Graph& graph, const Measured& of, const std::vector<double>& thresholds,
       const CountsWanted& wanted)
      : rows_(static_cast<int32_t>(thresholds.size())) {
    const Tensor column = reshape(of.predictions, {-1, 1});
    const Tensor row = reshape(of.labels, {1, -1});
    const int64_t known = column.shape().dim(0);
    const Input count = known >= 0 ? Input(static_cast<int32_t>(known)) : Input(shape(column)[0]);
    std::vector<float> numbers(thresholds.begin(), thresholds.end());
    const Tensor limits = expand_dims(constant(Array(numbers)), Array(std::vector<int32_t>{1}));
    const Tensor all_limits = tile(limits, stack({Input(1), count}));
    positive_ = greater(tile(transpose(column), {rows_, 1}), all_limits);
    if (wanted.false_negatives || wanted.true_negatives) negative_ = logical_not(positive_);
    label_ = tile(row, {rows_, 1});
    if (wanted.false_positives || wanted.true_negatives) no_label_ = logical_not(label_);
    if (!of.weights.has_value()) return;
    const Tensor weights = broadcast_weights(graph, cast(of.weights, DType::kFloat32), of.predictions);
    weights_ = tile(reshape(weights, {1, -1}), {rows_, 1});
  }

  Metric count(const Condition& condition) const {
    const Variable variable = metric_variable({rows_}, DType::kFloat32, condition.name);
    const Tensor& label = condition.label ? label_ : no_label_;
    Tensor holds = cast(logical_and(label, condition.prediction ? positive_ : negative_), DType::kFloat32);
    if (weights_.has_value()) holds = holds * weights_;
    Metric metric;
    metric.update = variable.assign_add(reduce_sum(holds, 1));
    metric.value = variable.value();
    return metric;
  }

 private:
  int32_t rows_;
  Tensor positive_, negative_, label_, no_label_, weights_;
};

}  // namespace

CountsAtThresholds counts_at_thresholds(graph::Graph& graph, const Input& labels, const Input& predictions,
                                        const std::vector<double>& thresholds, const OptionalInput& weights,
                                        const CountsWanted& wanted) {
  const Tensor guess = to_tensor(graph, predictions, "predictions");
  const DType dtype = base_dtype(guess.dtype());
  const char* const message = "predictions must be in [0, 1]";
  const Tensor zero = cast(0.0, dtype);
  const Operation not_below = assert_greater_equal(guess, zero, {.message = message});
  const Tensor one = cast(1.0, dtype);
  const Operation not_above = assert_less_equal(guess, one, {.message = message});
  Measured of;
  {
    const ControlDependenciesGuard checked = control_dependencies({not_below, not_above});
    const Tensor as_float = cast(guess, DType::kFloat32);
    of = measured(graph, cast(labels, DType::kBool), as_float, weights);
  }
  const Grid grid(graph, of, thresholds, wanted);
  CountsAtThresholds counts;
  if (wanted.true_positives) counts.true_positives = grid.count(kTruePositives);
  if (wanted.false_negatives) counts.false_negatives = grid.count(kFalseNegatives);
  if (wanted.true_negatives) counts.true_negatives = grid.count(kTrueNegatives);
  if (wanted.false_positives) counts.false_positives = grid.count(kFalsePositives);
  return counts;
}

namespace {

Metric count_at_thresholds(const char* name, CountsWanted wanted, Metric CountsAtThresholds::* which,
                           const Input& labels, const Input& predictions,
                           const std::vector<double>& thresholds, const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, name);
  Metric count =
      counts_at_thresholds(*graph, labels, predictions, thresholds, options.weights, wanted).*which;
  count.value = identity(count.value);
  return collected(count, options);
}

/// Precision or recall at thresholds.
Metric part_at_thresholds(const std::string& name, CountsWanted wanted, Metric CountsAtThresholds::* other,
                          const Input& labels, const Input& predictions,
                          const std::vector<double>& thresholds, const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, name + "_at_thresholds");
  const CountsAtThresholds counts =
      counts_at_thresholds(*graph, labels, predictions, thresholds, options.weights, wanted);
  const auto part = [](const Tensor& first, const Tensor& second, const std::string& result) {
    const Tensor some = 1e-7 + first;
    return realdiv(first, some + second, {.name = result});
  };
  Metric metric;
  metric.value = part(counts.true_positives.value, (counts.*other).value, name + "_value");
  metric.update = part(counts.true_positives.update, (counts.*other).update, name + "_update_op");
  return collected(metric, options);
}

}  // namespace

Metric true_positives_at_thresholds(const Input& labels, const Input& predictions,
                                    const std::vector<double>& thresholds, const MetricOptions& options) {
  return count_at_thresholds("true_positives", {.true_positives = true}, &CountsAtThresholds::true_positives,
                             labels, predictions, thresholds, options);
}
Metric false_positives_at_thresholds(const Input& labels, const Input& predictions,
                                     const std::vector<double>& thresholds, const MetricOptions& options) {
  return count_at_thresholds("false_positives", {.false_positives = true},
                             &CountsAtThresholds::false_positives, labels, predictions, thresholds, options);
}
Metric true_negatives_at_thresholds(const Input& labels, const Input& predictions,
                                    const std::vector<double>& thresholds, const MetricOptions& options) {
  return count_at_thresholds("true_negatives", {.true_negatives = true}, &CountsAtThresholds::true_negatives,
                             labels, predictions, thresholds, options);
}
Metric false_negatives_at_thresholds(const Input& labels, const Input& predictions,
                                     const std::vector<double>& thresholds, const MetricOptions& options) {
  return count_at_thresholds("false_negatives", {.false_negatives = true},
                             &CountsAtThresholds::false_negatives, labels, predictions, thresholds, options);
}
Metric precision_at_thresholds(const Input& labels, const Input& predictions,
                               const std::vector<double>& thresholds, const MetricOptions& options) {
  return part_at_thresholds("precision", {.true_positives = true, .false_positives = true},
                            &CountsAtThresholds::false_positives, labels, predictions, thresholds, options);
}
Metric recall_at_thresholds(const Input& labels, const Input& predictions,
                            const std::vector<double>& thresholds, const MetricOptions& options) {
  return part_at_thresholds("recall", {.true_positives = true, .false_negatives = true},
                            &CountsAtThresholds::false_negatives, labels, predictions, thresholds, options);
}

}  // namespace flowray::tf::metrics
