// tf.nn.batch_normalization and l2_normalize.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"

namespace flowray::tf::nn {
Tensor batch_normalization(const Input& x, const Input& mean, const Input& variance,
                           const BatchNormalizationOptions& options) {
  Composite call({{"x", x},
                  {"mean", mean},
                  {"variance", variance},
                  {"offset", options.offset},
                  {"scale", options.scale}},
                 options.name, "batchnorm", x.where());
  Tensor factor = rsqrt(variance + options.variance_epsilon);
  if (options.scale.has_value()) factor = factor * *options.scale;
  const Tensor scaled = x * factor;
  if (!options.offset.has_value()) {
    const Tensor moved = -mean * factor;
    return scaled + moved;
  }
  const Tensor moved = mean * factor;
  const Tensor shift = *options.offset - moved;
  return scaled + shift;
}

Tensor l2_normalize(const Input& x, const Input& axis, const L2NormalizeOptions& options) {
  Composite call({{"x", x}, {"axis", axis}}, options.name, "l2_normalize", x.where());
  const Tensor y = call.convert(x, "x");
  const Tensor sum = reduce_sum(square(y), {.axis = axis, .keepdims = true});
  const Tensor factor = rsqrt(maximum(sum, options.epsilon));
  return multiply(y, factor, {.name = call.result_name()});
}

}  // namespace flowray::tf::nn
