// tf.nn.moments, weighted_moments, sufficient_statistics and normalize_moments.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "ops/python_nodes/python_array_nodes.h"
#include "tf/build/composite.h"

namespace flowray::tf::nn {
namespace {

Array as_vector(const std::vector<int64_t>& axes) {
  return Array(std::vector<int32_t>(axes.begin(), axes.end()));
}

/// How many elements one of the results is of: a number where the shape says it.
Tensor count_elements(Composite& call, const Tensor& x, const std::vector<int64_t>& axes) {
  const DType dtype = base_dtype(x.dtype());
  int64_t count = 1;
  for (const int64_t axis : axes) {
    const int64_t size = x.shape().has_rank() ? x.shape().dim(static_cast<int>(axis)) : -1;
    count = size < 0 || count < 0 ? -1 : count * size;
  }
  if (count >= 0) return constant(Array(count), {.dtype = dtype});
  ops::python_rank_of(call.builder(), endpoint_of(x));
  std::vector<int64_t> positive;
  for (const int64_t axis : axes)
    positive.push_back(axis < 0 && x.shape().has_rank() ? axis + x.shape().rank() : axis);
  const Tensor sizes = cast(shape(x), dtype);
  return reduce_prod(gather(sizes, as_vector(positive)), {.name = "count"});
}

}  // namespace

Moments moments(const Input& x, const std::vector<int64_t>& axes, const MomentsOptions& options) {
  Composite call({{"x", x}}, options.name, "moments", x.where());
  const Tensor y = call.convert(x, "Const");
  const ReduceOptions kept{.axis = as_vector(axes), .keepdims = true, .name = "mean"};
  Moments result;
  result.mean = reduce_mean(y, kept);
  const Tensor distance = squared_difference(y, stop_gradient(result.mean));
  result.variance = reduce_mean(distance, {.axis = as_vector(axes), .keepdims = true, .name = "variance"});
  if (!options.keep_dims) {
    result.mean = squeeze(result.mean, as_vector(axes));
    result.variance = squeeze(result.variance, as_vector(axes));
  }
  return result;
}

Moments weighted_moments(const Input& x, const std::vector<int64_t>& axes, const Input& frequency_weights,
                         const MomentsOptions& options) {
  Composite call({{"x", x}, {"frequency_weights", frequency_weights}}, options.name, "weighted_moments",
                 x.where());
  Tensor values = call.convert(x, "x");
  Tensor weights = call.convert(frequency_weights, "frequency_weights");
  const DType dtype = base_dtype(values.dtype());
  const bool is_half = dtype == DType::kFloat16;
  if (is_half) values = cast(values, DType::kFloat32);
  if (base_dtype(weights.dtype()) != base_dtype(values.dtype()))
    weights = cast(weights, base_dtype(values.dtype()));
  const auto sum = [&](const Tensor& of, const char* name) {
    return reduce_sum(of, {.axis = as_vector(axes), .keepdims = true, .name = name});
  };
  const Tensor weighted_sum = sum(weights * values, "weighted_input_sum");
  const Tensor broadcast = weights + zeros_like(values);
  const Tensor all_weights = sum(broadcast, "sum_of_weights");
  Moments result;
  result.mean = div_no_nan(weighted_sum, all_weights);
  const Tensor distance = squared_difference(values, result.mean);
  const Tensor weighted_distance = sum(weights * distance, "weighted_distsq");
  result.variance = div_no_nan(weighted_distance, all_weights);
  if (!options.keep_dims) {
    result.mean = squeeze(result.mean, as_vector(axes));
    result.variance = squeeze(result.variance, as_vector(axes));
  }
  if (is_half) {
    result.mean = cast(result.mean, dtype);
    result.variance = cast(result.variance, dtype);
  }
  return result;
}

SufficientStatistics sufficient_statistics(const Input& x, const std::vector<int64_t>& axes,
                                           const SufficientStatisticsOptions& options) {
  Composite call({{"x", x}, {"shift", options.shift}}, options.name, "sufficient_statistics", x.where());
  const Tensor values = call.convert(x, "x");
  SufficientStatistics result;
  result.count = count_elements(call, values, axes);
  Tensor means = values;
  Tensor squares;
  if (options.shift.has_value()) {
    result.shift = call.convert_like(*options.shift, endpoint_of(values), "shift");
    means = subtract(values, result.shift);
    squares = squared_difference(values, result.shift);
  } else {
    squares = square(values);
  }
  const auto sum = [&](const Tensor& of, const char* name) {
    return reduce_sum(of, {.axis = as_vector(axes), .keepdims = options.keep_dims, .name = name});
  };
  result.mean_ss = sum(means, "mean_ss");
  result.variance_ss = sum(squares, "var_ss");
  return result;
}

Moments normalize_moments(const Input& counts, const Input& mean_ss, const Input& variance_ss,
                          const OptionalInput& shift, const NameOption& options) {
  Composite call({{"counts", counts}, {"mean_ss", mean_ss}, {"variance_ss", variance_ss}, {"shift", shift}},
                 options.name, "normalize", counts.where());
  const Tensor divisor = reciprocal(counts, {.name = "divisor"});
  Moments result;
  Tensor shifted;
  if (shift.has_value()) {
    shifted = multiply(mean_ss, divisor, {.name = "shifted_mean"});
    result.mean = add(shifted, *shift, {.name = "mean"});
  } else {
    shifted = multiply(mean_ss, divisor, {.name = "mean"});
    result.mean = shifted;
  }
  const Tensor squares = multiply(variance_ss, divisor);
  const Tensor square_of_mean = square(shifted);
  result.variance = subtract(squares, square_of_mean, {.name = "variance"});
  return result;
}

}  // namespace flowray::tf::nn
