#include <flowray/tf/array.h>
#include <flowray/tf/math.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <numeric>

namespace flowray::tf {
namespace {

/// One of two names of an argument.
const OptionalInput& either(const OptionalInput& current, const OptionalInput& old,
                            std::string_view current_name, std::string_view old_name) {
  if (current.has_value() && old.has_value())
    throw ValueError(fmt::format("Cannot specify both '{}' and '{}'.", old_name, current_name));
  return old.has_value() ? old : current;
}

bool keeps_dimensions(const ReduceOptions& options) {
  if (options.keep_dims && options.keepdims)
    throw ValueError("Cannot specify both 'keep_dims' and 'keepdims'.");
  return options.keep_dims.value_or(options.keepdims);
}

/// All dimensions of x: a Const where their number is known, else a range up to the rank.
Tensor all_dimensions(const Input& x) {
  const Tensor* tensor = x.tensor();
  const int rank = tensor == nullptr ? -1 : tensor->shape().rank();
  if (rank <= 0) return range(Input(0, x.where()), tf::rank(x), Input(1, x.where()));
  std::vector<int32_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return constant(Array(axes));
}

Tensor reduce(std::string_view op, const Input& x, const ReduceOptions& options) {
  const OptionalInput& axis = either(options.axis, options.reduction_indices, "axis", "reduction_indices");
  const bool keepdims = keeps_dimensions(options);
  graph::Graph& graph = axis.has_value() ? graph_of({{"x", x}, {"axis", *axis}}) : graph_of({{"x", x}});
  const UserLine line(graph, x.where());
  const GraphScope inside(&graph);  // numbers of all_dimensions go where x is
  const Input axes = axis.has_value() ? *axis : Input(all_dimensions(x), x.where());
  Tensor result =
      apply_op({.op = op, .name = options.name, .args = {x, axes}, .attrs = {{"keep_dims", keepdims}}});
  if (!axis.has_value() && !keepdims && !result.shape().is_fully_defined()) result.set_shape({});
  return result;
}

Tensor arg_reduce(std::string_view op, const Input& x, const ArgMaxOptions& options) {
  check_set(x, "x");
  const OptionalInput& axis = either(options.axis, options.dimension, "axis", "dimension");
  return apply_op({.op = op,
                   .name = options.name,
                   .args = {x, axis.has_value() ? *axis : Input(0, x.where())},
                   .attrs = {{"output_type", options.output_type}}});
}

}  // namespace

Tensor reduce_sum(const Input& x, const ReduceOptions& options) { return reduce("Sum", x, options); }
Tensor reduce_mean(const Input& x, const ReduceOptions& options) { return reduce("Mean", x, options); }
Tensor reduce_max(const Input& x, const ReduceOptions& options) { return reduce("Max", x, options); }
Tensor reduce_min(const Input& x, const ReduceOptions& options) { return reduce("Min", x, options); }
Tensor reduce_prod(const Input& x, const ReduceOptions& options) { return reduce("Prod", x, options); }
Tensor reduce_all(const Input& x, const ReduceOptions& options) { return reduce("All", x, options); }
Tensor reduce_any(const Input& x, const ReduceOptions& options) { return reduce("Any", x, options); }

Tensor reduce_logsumexp(const Input& x, const ReduceOptions& options) {
  const OptionalInput& axis = either(options.axis, options.reduction_indices, "axis", "reduction_indices");
  const bool keepdims = keeps_dimensions(options);
  Composite scope({{"x", x}}, options.name, "ReduceLogSumExp", x.where());
  // The largest element is taken out before exp, unless it is infinite, and put back after log.
  const Tensor raw_max = reduce_max(x, {.axis = axis, .keepdims = true});
  Tensor shift = stop_gradient(where_v2(is_finite(raw_max), raw_max, 0));
  Tensor result = log(reduce_sum(exp(subtract(x, shift)), {.axis = axis, .keepdims = keepdims}));
  if (!keepdims) shift = reshape(shift, tensor_of(scope.op("Shape", {result})));
  result = add(result, shift, {.name = scope.result_name()});
  if (!axis.has_value() && !keepdims && !result.shape().is_fully_defined()) result.set_shape({});
  return result;
}

Tensor argmax(const Input& x, const ArgMaxOptions& options) { return arg_reduce("ArgMax", x, options); }
Tensor argmin(const Input& x, const ArgMaxOptions& options) { return arg_reduce("ArgMin", x, options); }

}  // namespace flowray::tf
