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

/// From a little below 0 to a little above 1.
std::vector<double> thresholds_of(const AucOptions& options) {
  constexpr double kBeyond = 1e-7;
  std::vector<double> all = {0.0 - kBeyond};
  if (options.thresholds.empty()) {
    const int64_t last = options.num_thresholds - 1;
    for (int64_t i = 1; i < last; ++i) all.push_back(static_cast<double>(i) / static_cast<double>(last));
  } else {
    all.insert(all.end(), options.thresholds.begin(), options.thresholds.end());
  }
  all.push_back(1.0 + kBeyond);
  return all;
}

void check(const AucOptions& options) {
  if (options.curve != "ROC" && options.curve != "PR")
    throw ValueError(fmt::format("curve must be either ROC or PR, {} unknown", options.curve));
  const std::string& method = options.summation_method;
  if (method == "minoring" || method == "majoring")
    throw errors::UnimplementedError(
        fmt::format("The summation method {} of an area is not there yet", method));
  if (method != "trapezoidal" && method != "careful_interpolation")
    throw ValueError(fmt::format("Invalid summation_method: {}", method));
}

/// A point's counts, of the thresholds but the last, and but the first.
Tensor but_last(const Tensor& of) { return of[{Slice{.stop = static_cast<int>(of.shape().dim(0)) - 1}}]; }
Tensor but_first(const Tensor& of) { return of[{Slice{.start = 1}}]; }

struct Counts {
  Tensor tp, fn, tn, fp;
};

/// Between two points precision is no line; this is the area under it as it is.
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
  if (options.summation_method == "careful_interpolation") return careful_area(of);
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
  const Tensor height = (first_y + but_first(y)) / 2.0;
  return reduce_sum(multiply(width, height), {.name = name});
}

}  // namespace

Metric auc(const Input& labels, const Input& predictions, const AucOptions& options) {
  const ErrorLine errors(labels.where());
  check(options);
  if (options.summation_method == "careful_interpolation" && options.curve != "PR") {
    throw ValueError(
        fmt::format("Invalid summation_method {} for curve {}", options.summation_method, options.curve));
  }
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

}  // namespace flowray::tf::metrics
