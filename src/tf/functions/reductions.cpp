#include <flowray/tf/array.h>
#include <flowray/tf/math.h>

#include "graph/shape_context.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

#include <numeric>

namespace flowray::tf {
namespace {

/// An argument that has two names, by the one that it was given by.
struct Either {
  std::string_view name;
  const OptionalInput& input;

  bool has_value() const { return input.has_value(); }
  operator Argument() const { return {name, input}; }  // NOLINT: implicit, among other arguments
};

Either either(std::string_view current_name, const OptionalInput& current, std::string_view old_name,
              const OptionalInput& old) {
  if (current.has_value() && old.has_value())
    throw ValueError(fmt::format("Cannot specify both '{}' and '{}'.", old_name, current_name));
  return old.has_value() ? Either{old_name, old} : Either{current_name, current};
}

bool keeps_dimensions(const ReduceOptions& options) {
  if (options.keep_dims && options.keepdims)
    throw ValueError("Cannot specify both 'keep_dims' and 'keepdims'.");
  return options.keep_dims.value_or(options.keepdims);
}

/// All dimensions of x: a Const where their number is known, else a range up to the rank.
Tensor all_dimensions(const Input& x) {
  const bool by_handle = x.reference().has_value() && x.reference().dtype() == DType::kResource;
  const Tensor* tensor = by_handle ? nullptr : x.tensor();
  const int rank = by_handle           ? graph::handle_shape(endpoint_of(x.reference())).rank()
                   : tensor == nullptr ? -1
                                       : tensor->shape().rank();
  if (rank <= 0) return range(Input(0, x.where()), tf::rank(x), Input(1, x.where()));
  std::vector<int32_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return constant(Array(axes));
}

Tensor reduce(std::string_view op, const Input& x, const ReduceOptions& options) {
  const ErrorLine errors(x.where());
  const Either axis = either("axis", options.axis, "reduction_indices", options.reduction_indices);
  const bool keepdims = keeps_dimensions(options);
  const CallScope call({{"x", x}, axis});  // numbers of all_dimensions go where x is
  const Input axes = axis.has_value() ? *axis.input : Input(all_dimensions(Input(x)), x.where());
  Tensor result =
      apply_op({.op = op, .name = options.name, .args = {x, axes}, .attrs = {{"keep_dims", keepdims}}});
  if (!axis.has_value() && !keepdims && !result.shape().is_fully_defined()) result.set_shape({});
  return result;
}

Tensor arg_reduce(std::string_view op, const Input& x, const ArgMaxOptions& options) {
  const ErrorLine errors(x.where());
  const Either axis = either("axis", options.axis, "dimension", options.dimension);
  (void)graph_of({{"x", x}, axis});
  return apply_op({.op = op,
                   .name = options.name,
                   .args = {x, axis.has_value() ? *axis.input : Input(0, x.where())},
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
  const ErrorLine errors(x.where());
  const Either axis = either("axis", options.axis, "reduction_indices", options.reduction_indices);
  const bool keepdims = keeps_dimensions(options);
  Composite scope({{"x", x}, axis}, options.name, "ReduceLogSumExp", x.where());
  // The largest element is taken out before exp, unless it is infinite, and put back after log.
  const Tensor raw_max = reduce_max(x, {.axis = axis.input, .keepdims = true});
  Tensor shift = stop_gradient(where_v2(is_finite(raw_max), raw_max, 0));
  Tensor result = log(reduce_sum(exp(subtract(x, shift)), {.axis = axis.input, .keepdims = keepdims}));
  if (!keepdims) shift = reshape(shift, tensor_of(scope.op("Shape", {result})));
  result = add(result, shift, {.name = scope.result_name()});
  if (!axis.has_value() && !keepdims && !result.shape().is_fully_defined()) result.set_shape({});
  return result;
}

Tensor argmax(const Input& x, const ArgMaxOptions& options) { return arg_reduce("ArgMax", x, options); }
Tensor argmin(const Input& x, const ArgMaxOptions& options) { return arg_reduce("ArgMin", x, options); }

}  // namespace flowray::tf
