#include "tf/metrics/broadcast_weights.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/sparse.h>

#include "ops/python_nodes/python_nodes.h"
#include "tf/build/apply_op.h"

#include <fmt/format.h>

#include <string_view>

namespace flowray::tf {
namespace {

using graph::Endpoint;

constexpr std::string_view kDoNotFit = "weights can not be broadcast to values.";

/// Throws where shapes that are known say that the weights do not fit; false where they say too little.
bool shapes_fit(const TensorShape& weights, const TensorShape& values) {
  if (!weights.has_rank() || !values.has_rank()) return false;
  const std::string shapes =
      fmt::format(" values.shape={}, weights.shape={}", values.to_tuple_string(), weights.to_tuple_string());
  if (weights.rank() != values.rank()) {
    throw ValueError(fmt::format("{} values.rank={}. weights.rank={}.{}", kDoNotFit, values.rank(),
                                 weights.rank(), shapes));
  }
  if (!weights.is_fully_defined() || !values.is_fully_defined()) return false;
  for (int i = 0; i < values.rank(); ++i) {
    if (weights.dim(i) == 1 || weights.dim(i) == values.dim(i)) continue;
    throw ValueError(fmt::format("{} Mismatch at dim {}.{}", kDoNotFit, i, shapes));
  }
  return true;
}

Tensor rank_of(graph::Builder& builder, Endpoint of, const char* name) {
  if (!of.shape().has_rank()) return tensor_of(builder.op("Rank", {of}, {}, name));
  return tensor_of(builder.constant(Array(static_cast<int32_t>(of.shape().rank())), name));
}

/// Whether all sizes of the weights are 1 or the values': there are no others in them.
Tensor has_valid_sizes(graph::Graph& graph, const Tensor& weights_shape, const Tensor& values_shape) {
  const graph::NameScope scope(graph, "has_invalid_dims");
  const Tensor sizes = expand_dims(values_shape, -1);
  const Tensor valid = concat({sizes, ones_like(sizes)}, 1);
  const SparseTensor others = sets::difference(expand_dims(weights_shape, -1), valid);
  return equal(0, size(others.values(), {.name = "num_invalid_dims"}), {.name = scope.path()});
}

struct Checked {
  Tensor weights_shape, weights_rank, values_shape, values_rank;
};

/// What the step finds out.
Tensor is_valid(graph::Graph& graph, const Checked& of, const Tensor& is_scalar) {
  const auto of_same_rank = [&] {
    const graph::NameScope scope(graph, "has_valid_nonscalar_shape");
    const Tensor same = equal(of.values_rank, of.weights_rank, {.name = "is_same_rank"});
    return cond(
        same, [&] { return has_valid_sizes(graph, of.weights_shape, of.values_shape); }, [&] { return same; },
        {.name = scope.path()});
  };
  return cond(is_scalar, [&] { return is_scalar; }, of_same_rank, {.name = "is_valid_shape"});
}

}  // namespace

graph::Node* assert_broadcastable(graph::Graph& graph, const Input& weights, const Input& values) {
  graph::Builder builder(graph);
  const graph::NameScope scope(graph, "assert_broadcastable");
  const Endpoint weight = convert_to_endpoint(graph, weights, DType::kInvalid, "weights");
  const Endpoint weight_shape = ops::python_shape(builder, weight, "weights/shape");
  const Tensor weight_rank = rank_of(builder, weight, "weights/rank");
  const Endpoint value = convert_to_endpoint(graph, values, DType::kInvalid, "values");
  const Endpoint value_shape = ops::python_shape(builder, value, "values/shape");
  const Tensor value_rank = rank_of(builder, value, "values/rank");
  const TensorShape& shape = weight.shape();
  if (shape.has_rank() && shape.rank() == 0 && value.shape().has_rank())
    return builder.node("NoOp", {}, {}, "static_scalar_check_success");
  if (shapes_fit(shape, value.shape())) return builder.node("NoOp", {}, {}, "static_dims_check_success");
  const GraphScope in_graph(&graph);
  const Tensor is_scalar = equal(0, weight_rank, {.name = "is_scalar"});
  const Tensor valid =
      is_valid(graph, {tensor_of(weight_shape), weight_rank, tensor_of(value_shape), value_rank}, is_scalar);
  const std::vector<Input> data = {kDoNotFit.data(),        "weights.shape=", tensor_of(weight).name(),
                                   tensor_of(weight_shape), "values.shape=",  tensor_of(value).name(),
                                   tensor_of(value_shape),  "is_scalar=",     is_scalar};
  return Assert(valid, data, 3, {.name = scope.path()}).node();
}

Tensor broadcast_weights(graph::Graph& graph, const Tensor& weights, const Tensor& values) {
  const graph::NameScope scope(graph, "broadcast_weights");
  const TensorShape& shape = values.shape();
  if (shape.is_fully_defined() && weights.shape() == shape) return weights;
  const ControlDependenciesGuard fits(&graph, {assert_broadcastable(graph, weights, values)},
                                      /*clears=*/false);
  return multiply(weights, ones_like(values), {.name = scope.path()});
}

}  // namespace flowray::tf
