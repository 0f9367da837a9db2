// Means and variances of what stands in the graph: tf.nn.moments, batch_normalization and l2_normalize.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"

namespace flowray::tf::nn {
namespace {

Array as_vector(const std::vector<int64_t>& axes) {
  return Array(std::vector<int32_t>(axes.begin(), axes.end()));
}

}  // namespace

Moments moments(const Input& x, const std::vector<int64_t>& axes, const MomentsOptions& options) {
  Composite call({&x}, options.name, "moments", x.where());
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

Tensor batch_normalization(const Input& x, const Input& mean, const Input& variance,
                           const BatchNormalizationOptions& options) {
  Composite call({&x, &mean, &variance}, options.name, "batchnorm", x.where());
  Tensor factor = rsqrt(variance + options.variance_epsilon);
  if (options.scale) factor = factor * *options.scale;
  const Tensor scaled = x * factor;
  if (!options.offset) {
    const Tensor moved = -mean * factor;
    return scaled + moved;
  }
  const Tensor moved = mean * factor;
  const Tensor shift = *options.offset - moved;
  return scaled + shift;
}

Tensor l2_normalize(const Input& x, const Input& axis, const L2NormalizeOptions& options) {
  Composite call({&x}, options.name, "l2_normalize", x.where());
  const Tensor y = call.convert(x, "x");
  const Tensor sum = reduce_sum(square(y), {.axis = axis, .keepdims = true});
  const Tensor factor = rsqrt(maximum(sum, options.epsilon));
  return multiply(y, factor, {.name = call.result_name()});
}

}  // namespace flowray::tf::nn
