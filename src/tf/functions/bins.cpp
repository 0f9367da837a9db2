#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

/// A tensor's shape; where it is known, a constant called "Shape/shape_as_tensor" and not "Shape".
Tensor inner_shape(graph::Graph& graph, const Input& input) {
  const graph::NameScope scope(graph, "Shape");
  const graph::Endpoint values = convert_to_endpoint(graph, input, DType::kInvalid, "Const");
  const Shape& known = values.shape();
  if (!known.is_fully_defined()) return shape(tensor_of(values), {.name = scope.path()});
  return constant(Array(std::vector<int32_t>(known.dims().begin(), known.dims().end())),
                  {.name = "shape_as_tensor"});
}

}  // namespace

Tensor searchsorted(const Input& sorted_sequence, const Input& values, const SearchsortedOptions& options) {
  const CallScope call({{"sorted_sequence", sorted_sequence}, {"values", values}}, values.where());
  graph::Graph& graph = call.graph();
  const Tensor sequence_size = inner_shape(graph, sorted_sequence)[-1];
  const Tensor values_size = inner_shape(graph, values)[-1];
  const Tensor sequences = reshape(sorted_sequence, {-1, sequence_size});
  const Tensor rows = reshape(values, {-1, values_size});
  if (options.side != "left" && options.side != "right") {
    throw ValueError(fmt::format("Argument `side` must be either 'right' or 'left'. Received: `side` = '{}'.",
                                 options.side));
  }
  const Tensor found = apply_op({.op = options.side == "right" ? "UpperBound" : "LowerBound",
                                 .name = options.name,
                                 .args = {sequences, rows},
                                 .attrs = {{"out_type", options.out_type}}});
  return reshape(found, inner_shape(graph, values));
}

Tensor bincount(const Input& arr, const BincountOptions& options) {
  Composite scope({{"arr", arr},
                   {"weights", options.weights},
                   {"minlength", options.minlength},
                   {"maxlength", options.maxlength}},
                  {}, "bincount", arr.where());
  Tensor values = scope.convert(arr, "arr");
  Tensor weights;
  if (options.weights.has_value()) weights = scope.convert(*options.weights, "weights");
  if (!is_integer(base_dtype(values.dtype()))) values = cast(values, DType::kInt32);
  const DType dtype = base_dtype(values.dtype());
  const Tensor is_some = cast(size(values) > 0, dtype);
  const Tensor bins = reduce_max(values) + 1;
  Tensor count = is_some * bins;
  if (options.minlength.has_value())
    count = maximum(tensor_of(scope.convert(*options.minlength, "minlength", dtype)), count);
  if (options.maxlength.has_value())
    count = minimum(tensor_of(scope.convert(*options.maxlength, "maxlength", dtype)), count);
  if (weights.has_value()) weights = reshape(weights, {-1});
  values = reshape(values, {-1});
  if (!weights.has_value()) weights = constant(Array(std::vector<int32_t>{}).astype(options.dtype));
  return apply_op(
      {.op = "DenseBincount", .args = {values, count, weights}, .attrs = {{"binary_output", false}}});
}

}  // namespace flowray::tf
