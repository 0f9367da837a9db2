// The area under a curve of what is true and predicted at thresholds.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/metrics/metric_parts.h"
#include "tf/metrics/metrics_thresholds.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::metrics {
namespace {

constexpr double kBeyond = 1e-7;

/// From a little below 0 to `end`.
std::vector<double> even_thresholds(int64_t number, double end) {
  // TensorFlow wants a variable of so many elements, too.
  constexpr int64_t kMost = 1 << 24;
  if (number > kMost)
    throw ValueError(fmt::format("num_thresholds must be at most {}, got {}", kMost, number));
  std::vector<double> all = {0.0 - kBeyond};
  const int64_t last = number - 1;
  for (int64_t i = 1; i < last; ++i) all.push_back(static_cast<double>(i) / static_cast<double>(last));
  all.push_back(end);
  return all;
}

std::vector<double> thresholds_of(const AucOptions& options) {
  if (options.thresholds.empty()) return even_thresholds(options.num_thresholds, 1.0 + kBeyond);
  std::vector<double> all = options.thresholds;
  std::ranges::sort(all);
  all.insert(all.begin(), 0.0 - kBeyond);
  all.push_back(1.0 + kBeyond);
  return all;
}

void check(const AucOptions& options) {
  if (options.curve != "ROC" && options.curve != "PR")
    throw ValueError(fmt::format("Curve must be either ROC or PR. Curve {} is unknown.", options.curve));
  const std::string& method = options.summation_method;
  if (method != "trapezoidal" && method != "careful_interpolation" && method != "minoring" &&
      method != "majoring") {
    throw ValueError(
        fmt::format("Invalid summation_method: {} summation_method should be 'trapezoidal', "
                    "'careful_interpolation', 'minoring', or 'majoring'.",
                    method));
  }
}

/// A point's counts, of the thresholds but the last, and but the first.
Tensor but_last(const Tensor& of) { return of[{Slice{.stop = static_cast<int>(of.shape().dim(0)) - 1}}]; }
Tensor but_first(const Tensor& of) { return of[{Slice{.start = 1}}]; }

struct Counts {
  Tensor tp, fn, tn, fp;
};

/// Precision is not linear between two points; this is the area under its true curve.
Tensor careful_area(const Counts& of) {
  const Tensor first_tp = but_last(of.tp);
  const Tensor step_tp = first_tp - but_first(of.tp);
  const Tensor p = of.tp + of.fp;
  const Tensor first_p = but_last(p);
  const Tensor step_p = first_p - but_first(p);
  const Tensor slope = div_no_nan(step_tp, maximum(step_p, 0), {.name = "prec_slope"});
  const Tensor last_tp = but_first(of.tp);
  const Tensor intercept = last_tp - multiply(slope, but_first(p));
  const Tensor is_first = greater(but_last(p), 0);
  const Tensor are_both = logical_and(is_first, greater(but_first(p), 0));
  const Tensor numerator = but_last(p);
  const Tensor ratio = div_no_nan(numerator, maximum(but_first(p), 0), {.name = "recall_relative_ratio"});
  const Tensor safe = apply_op({.op = "Select", .args = {are_both, ratio, ones_like(but_first(p))}});
  const Tensor moved = intercept * log(safe);
  const Tensor sum = step_tp + moved;
  const Tensor height = slope * sum;
  const Tensor all_tp = but_first(of.tp);
  const Tensor positives = all_tp + but_first(of.fn);
  return reduce_sum(div_no_nan(height, maximum(positives, 0), {.name = "pr_auc_increment"}),
                    {.name = "interpolate_pr_auc"});
}

Tensor area(const Counts& of, const AucOptions& options, const char* name) {
  if (options.curve == "PR" && options.summation_method == "careful_interpolation") return careful_area(of);
  constexpr double kSmall = 1.0e-6;
  const auto ratio = [&](const Tensor& some, const Tensor& one, const Tensor& other) {
    const Tensor both = one + other;
    return some / (both + kSmall);
  };
  const Tensor recall = ratio(of.tp + kSmall, of.tp, of.fn);
  Tensor x;
  Tensor y;
  if (options.curve == "ROC") {
    x = ratio(of.fp, of.fp, of.tn);
    y = recall;
  } else {
    y = ratio(of.tp + kSmall, of.tp, of.fp);
    x = recall;
  }
  const Tensor first_x = but_last(x);
  const Tensor width = first_x - but_first(x);
  const Tensor first_y = but_last(y);
  const Tensor last_y = but_first(y);
  const Tensor height = options.summation_method == "minoring"   ? minimum(first_y, last_y)
                        : options.summation_method == "majoring" ? maximum(first_y, last_y)
                                                                 : (first_y + last_y) / 2.0;
  return reduce_sum(multiply(width, height), {.name = name});
}

}  // namespace

Metric auc(const Input& labels, const Input& predictions, const AucOptions& options) {
  const ErrorLine errors(labels.where());
  check(options);
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, "auc");
  const CountsAtThresholds counts = counts_at_thresholds(
      *graph, labels, predictions, thresholds_of(options), options.weights,
      {.true_positives = true, .false_negatives = true, .true_negatives = true, .false_positives = true});
  const auto of = [&](Tensor Metric::* which) {
    return Counts{counts.true_positives.*which, counts.false_negatives.*which, counts.true_negatives.*which,
                  counts.false_positives.*which};
  };
  Metric metric;
  metric.value = area(of(&Metric::value), options, "value");
  metric.update = area(of(&Metric::update), options, "update_op");
  return collected(metric, options);
}

namespace {

/// Tensors of counts at thresholds for a result's name.
using AtRate = Tensor (*)(const Counts& of, double rate, const char* name);

Tensor part_at(const Tensor& of, const Tensor& others, const Tensor& index, const char* name) {
  const Tensor some = of[index];
  const Tensor same = of[index];
  const Tensor both = same + others[index];
  return realdiv(some, both + kBeyond, {.name = name});
}

Tensor part_of_both(const Tensor& of, const Tensor& others) {
  const Tensor both = of + others;
  return of / (both + kBeyond);
}

Tensor sensitivity_at(const Counts& of, double specificity, const char* name) {
  const Tensor parts = part_of_both(of.tn, of.fp);
  const Tensor index = argmin(abs(parts - specificity), 0);
  return part_at(of.tp, of.fn, cast(index, DType::kInt32), name);
}

/// The last of those that are equally near.
Tensor specificity_at(const Counts& of, double sensitivity, const char* name) {
  const Tensor parts = part_of_both(of.tp, of.fn);
  const Tensor least = reduce_min(abs(parts - sensitivity));
  const Tensor is_least = cast(equal(abs(parts - sensitivity), least), DType::kInt64);
  const Tensor number = apply_op({.op = "Cumsum", .args = {is_least, 0}});
  return part_at(of.tn, of.fp, cast(argmax(number, 0), DType::kInt32), name);
}

Metric at_rate(const Input& labels, const Input& predictions, double rate, const AtRateOptions& options,
               const char* name, const char* argument, AtRate function, double end) {
  const ErrorLine errors(labels.where());
  if (!(rate >= 0 && rate <= 1))
    throw ValueError(fmt::format("`{}` must be in the range [0, 1]. Currently, `{}` {} {}.", argument,
                                 argument, std::string_view(argument) == "sensitivity" ? "is" : "got", rate));
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  const VariableScopeGuard scope = metric_scope(options.name, name);
  const CountsAtThresholds counts = counts_at_thresholds(
      *graph, labels, predictions, even_thresholds(options.num_thresholds, end), options.weights,
      {.true_positives = true, .false_negatives = true, .true_negatives = true, .false_positives = true});
  const auto of = [&](Tensor Metric::* which) {
    return Counts{counts.true_positives.*which, counts.false_negatives.*which, counts.true_negatives.*which,
                  counts.false_positives.*which};
  };
  Metric metric;
  metric.value = function(of(&Metric::value), rate, "value");
  metric.update = function(of(&Metric::update), rate, "update_op");
  return collected(metric, options);
}

}  // namespace

Metric sensitivity_at_specificity(const Input& labels, const Input& predictions, double specificity,
                                  const AtRateOptions& options) {
  return at_rate(labels, predictions, specificity, options, "sensitivity_at_specificity", "specificity",
                 &sensitivity_at, 1.0 + kBeyond);
}
Metric specificity_at_sensitivity(const Input& labels, const Input& predictions, double sensitivity,
                                  const AtRateOptions& options) {
  return at_rate(labels, predictions, sensitivity, options, "specificity_at_sensitivity", "sensitivity",
                 &specificity_at, 1.0 - kBeyond);
}

}  // namespace flowray::tf::metrics
