// tf.confusion_matrix, and metrics of classes.
#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/with_dependencies.h"
#include "tf/metrics/metric_parts.h"
#include "tf/metrics/squeezable.h"

#include <fmt/format.h>

namespace flowray::tf {

Tensor confusion_matrix(const Input& labels, const Input& predictions,
                        const ConfusionMatrixOptions& options) {
  Composite call({{"labels", labels},
                  {"predictions", predictions},
                  {"num_classes", options.num_classes},
                  {"weights", options.weights}},
                 options.name, "confusion_matrix", labels.where());
  const Tensor given = call.convert(labels, "labels");
  const Tensor guessed = call.convert(predictions, "predictions");
  const auto [row, column] = remove_squeezable_dimensions(call.graph(), given, guessed);
  Tensor guess = cast(column, DType::kInt64);
  Tensor truth = cast(row, DType::kInt64);
  const auto not_negative = [](const Tensor& classes, const char* message) {
    return with_dependencies({assert_non_negative(classes, {.message = message})}, classes);
  };
  truth = not_negative(truth, "`labels` contains negative values");
  guess = not_negative(guess, "`predictions` contains negative values");
  Input count = 0;
  if (options.num_classes.has_value()) {
    count = *options.num_classes;
    const Tensor limit = cast(count, DType::kInt64);
    const auto below = [&](const Tensor& classes, const char* message) {
      return with_dependencies({assert_less(classes, limit, {.message = message})}, classes);
    };
    truth = below(truth, "`labels` out of bound");
    guess = below(guess, "`predictions` out of bound");
  } else {
    const Tensor greatest = reduce_max(guess);
    count = maximum(greatest, reduce_max(truth)) + 1;
  }
  Tensor values;
  if (options.weights.has_value()) {
    values = call.convert(*options.weights, "weights");
    if (!guess.shape().is_compatible_with(values.shape())) {
      throw ValueError(fmt::format("Shapes {} and {} are incompatible", guess.shape().to_tuple_string(),
                                   values.shape().to_tuple_string()));
    }
    values = cast(values, options.dtype);
  }
  const Tensor shape = stack({count, count});
  const Tensor indices = stack({truth, guess}, {.axis = 1});
  if (!values.has_value()) values = ones_like(guess, options.dtype);
  const Tensor wide = cast(shape, DType::kInt64);
  return apply_op({.op = "ScatterNd", .args = {indices, values, wide}});
}

namespace metrics {
namespace {

Tensor flat(const Tensor& of) {
  return of.shape().has_rank() && of.shape().rank() > 1 ? reshape(of, {-1}) : of;
}

void check_shapes(const Tensor& predictions, const Tensor& labels) {
  if (predictions.shape().is_compatible_with(labels.shape())) return;
  throw ValueError(fmt::format("Shapes {} and {} are incompatible", predictions.shape().to_tuple_string(),
                               labels.shape().to_tuple_string()));
}

/// Intersection over union, from the matrix of all steps.
Tensor mean_of_unions(const Tensor& matrix) {
  const Tensor rows = cast(reduce_sum(matrix, 0), DType::kFloat32);
  const Tensor columns = cast(reduce_sum(matrix, 1), DType::kFloat32);
  const Tensor both = cast(apply_op({.op = "DiagPart", .args = {matrix}}), DType::kFloat32);
  const Tensor all = rows + columns;
  const Tensor either = all - both;
  const Tensor there = cast(not_equal(either, 0), DType::kFloat32);
  const Tensor valid = reduce_sum(there);
  const Tensor is_any = greater(either, 0);
  const Tensor divisor = apply_op({.op = "Select", .args = {is_any, either, ones_like(either)}});
  const Tensor parts = divide(both, divisor);
  const Tensor any_valid = greater(valid, 0);
  const Tensor sum = reduce_sum(parts, {.name = "mean_iou"});
  return apply_op({.op = "Select", .args = {any_valid, sum / valid, 0}});
}

}  // namespace

Metric mean_iou(const Input& labels, const Input& predictions, int64_t num_classes,
                const MetricOptions& options) {
  const ErrorLine errors(labels.where());
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, "mean_iou");
  const Tensor given = to_tensor(*graph, predictions, "predictions");
  const Tensor truths = to_tensor(*graph, labels, "labels");
  check_shapes(given, truths);
  const Variable total =
      metric_variable({num_classes, num_classes}, DType::kFloat64, "total_confusion_matrix");
  const Tensor guess = cast(given, DType::kInt64);
  const Tensor truth = cast(truths, DType::kInt64);
  const Tensor count = cast(static_cast<int>(num_classes), DType::kInt64);
  const Tensor flat_guess = flat(guess);
  const Tensor flat_truth = flat(truth);
  OptionalInput weights = options.weights;
  if (weights.has_value() && weights->tensor() != nullptr) weights = flat(*weights->tensor());
  const Tensor matrix = confusion_matrix(
      flat_truth, flat_guess, {.num_classes = count, .dtype = DType::kFloat64, .weights = weights});
  Metric metric;
  metric.update = total.assign_add(matrix);
  metric.value = mean_of_unions(total.value());
  return collected(metric, options);
}

Metric mean_per_class_accuracy(const Input& labels, const Input& predictions, int64_t num_classes,
                               const MetricOptions& options) {
  const ErrorLine errors(labels.where());
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, "mean_accuracy");
  const Tensor truth = flat(cast(labels, DType::kInt64));
  Tensor guess = flat(to_tensor(*graph, predictions, "predictions"));
  check_shapes(guess, truth);
  const Variable total = metric_variable({num_classes}, DType::kFloat32, "total");
  const Variable count = metric_variable({num_classes}, DType::kFloat32, "count");
  const Tensor number = size(truth);
  Tensor all = ones(Input::list({number}), DType::kFloat32);
  if (base_dtype(guess.dtype()) != DType::kInt64) guess = cast(guess, DType::kInt64);
  Tensor right = cast(equal(guess, truth), DType::kFloat32);
  if (options.weights.has_value()) {
    const Tensor given = to_tensor(*graph, *options.weights, "weights");
    const Tensor weights = cast(flat(given), DType::kFloat32);
    right = right * weights;
    all = all * weights;
  }
  const auto add_rows = [&](const Variable& variable, const Tensor& values) {
    return apply_op({.op = "ScatterAdd", .args = {Input(variable), truth, values}});
  };
  const Tensor new_total = add_rows(total, all);
  const Tensor new_count = add_rows(count, right);
  Metric metric;
  metric.value = reduce_mean(div_no_nan(count, maximum(total, 0.0)), {.name = "mean_accuracy"});
  metric.update = div_no_nan(new_count, maximum(new_total, 0.0), {.name = "update_op"});
  return collected(metric, options);
}

}  // namespace metrics
}  // namespace flowray::tf
