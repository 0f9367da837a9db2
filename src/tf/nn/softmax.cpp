// tf.nn.softmax over any axis, and the cross-entropies of it: the nodes of TensorFlow's nn_ops.

#include <flowray/tf/debugging.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/nn.h>

#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/composite.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/nn/labels_and_logits.h"

#include <fmt/format.h>

namespace flowray::tf::nn {
namespace {

using graph::Endpoint;
using ops::IntOrTensor;

// ---- softmax

/// axis + 1, in Python's words: a node where the axis is a tensor.
IntOrTensor next(graph::Builder& builder, const IntOrTensor& axis) {
  if (!axis.tensor) return axis.value + 1;
  return ops::python_with_number(builder, "AddV2", axis.tensor, 1, "add");
}

/// The two dimensions change places.
Endpoint swapped(graph::Builder& builder, Endpoint x, const IntOrTensor& axis, Endpoint rank,
                 std::string_view name) {
  const Endpoint last = ops::python_with_number(builder, "Sub", rank, 1, "Sub");
  const Endpoint before = ops::python_range(builder, 0, axis);
  const Endpoint between = ops::python_range(builder, next(builder, axis), last);
  const Endpoint order = ops::python_concat_lists(builder, {before, {last}, between, {axis}}, 0);
  return builder.op("Transpose", {x, order}, {}, name);
}

Tensor softmax_op(const char* op, const Input& logits, const SoftmaxOptions& options) {
  if (options.axis == -1) return apply_op({.op = op, .name = options.name, .args = {logits}});
  graph::Graph& graph = graph_of({{"logits", logits}});
  graph::Builder builder(graph);
  const UserLine line(graph, logits.where());
  const Endpoint x = convert_to_endpoint(graph, logits, DType::kInvalid, "Const");
  const Shape shape = x.shape();
  if (!shape.has_rank()) {
    throw ValueError(
        fmt::format("{} over axis {} needs to know the rank of its logits, which is unknown.\n"
                    "Give them a shape (set_shape), or take the last axis, -1.",
                    op, options.axis));
  }
  const int rank = shape.rank();
  if (options.axis == rank - 1) return apply_op({.op = op, .name = options.name, .args = {tensor_of(x)}});
  if (options.axis < -rank || options.axis >= rank) {
    throw errors::InvalidArgumentError(
        fmt::format("`dim` must be in the range [{}, {}) where {} is the number of dimensions in the input. "
                    "Received: dim={}",
                    -rank, rank, rank, options.axis));
  }
  const Endpoint first_rank = ops::python_rank_of(builder, x);
  IntOrTensor axis = options.axis;
  if (options.axis < 0) {
    const graph::NameScope scope(graph, "add");
    const Endpoint number = ops::python_scalar(builder, options.axis, DType::kInt32, "x");
    axis = builder.op("AddV2", {number, first_rank}, {}, scope.path());
  }
  const Endpoint second_rank = ops::python_rank_of(builder, x);
  if (axis.tensor) axis = ops::python_with_number(builder, "FloorMod", axis.tensor, rank, "mod");
  const Endpoint swapped_once = swapped(builder, x, axis, second_rank, "transpose");
  const Endpoint normal = builder.op(op, {swapped_once});
  const Endpoint result =
      swapped(builder, normal, axis, second_rank, options.name.empty() ? "transpose" : options.name);
  result.node->merge_output_shape(0, shape);
  return tensor_of(result);
}

// ---- cross-entropies

/// All dimensions but the last become one: the nodes of nn_ops' flatten before the fused op.
Endpoint flatten_outer(Composite& call, Endpoint tensor) {
  const Endpoint rank = ops::python_rank_of(call.builder(), tensor);
  const Endpoint shape = ops::python_shape(call.builder(), tensor);
  const Endpoint last = ops::python_with_number(call.builder(), "Sub", rank, 1, "Sub");
  Endpoint classes;
  {
    const graph::NameScope scope(call.graph(), "Slice");
    const Endpoint begin = call.op("Pack", {last}, {{"axis", int64_t{0}}}, "begin");
    const Endpoint size = call.builder().constant(Array{1}, "size");
    classes = call.op("Slice", {shape, begin, size}, {}, scope.path());
  }
  const Endpoint flat_shape = ops::python_concat_lists(call.builder(), {{-1}, classes}, 0);
  return call.op("Reshape", {tensor, flat_shape});
}

/// The dimensions in the order in which `axis` is the last one.
Endpoint with_last(Composite& call, Endpoint tensor, int axis, Endpoint rank) {
  graph::Builder& builder = call.builder();
  const Endpoint before = ops::python_range(builder, 0, axis);
  const Endpoint after = ops::python_range(builder, axis + 1, rank);
  const Endpoint order = ops::python_concat_lists(builder, {before, after, {axis}}, 0);
  return call.op("Transpose", {tensor, order}, {}, "transpose");
}

bool is_of_16_bits(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }

Shape without(const Shape& shape, int axis) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.erase(dims.begin() + (axis < 0 ? axis + shape.rank() : axis));
  return Shape(dims);
}

Tensor fused_cross_entropy(Composite& call, Endpoint labels, Endpoint logits, int axis) {
  const Shape shape = logits.shape();
  if (axis < -1 && shape.has_rank()) axis += shape.rank();
  const DType dtype = base_dtype(logits.dtype());
  Endpoint precise =
      is_of_16_bits(dtype) ? ops::python_cast(call.builder(), logits, DType::kFloat32) : logits;
  Endpoint same = ops::python_cast(call.builder(), labels, base_dtype(precise.dtype()));
  const Endpoint rank = ops::python_rank_of(call.builder(), precise);
  if (axis != -1) {
    precise = with_last(call, precise, axis, rank);
    same = with_last(call, same, axis, rank);
  }
  const Endpoint full_shape = ops::python_shape(call.builder(), precise);
  const Endpoint flat_logits = flatten_outer(call, precise);
  const Endpoint flat_labels = flatten_outer(call, same);
  const Endpoint cost = endpoint_of(call.result("SoftmaxCrossEntropyWithLogits", {flat_logits, flat_labels}));
  const Endpoint outer = ops::python_with_number(call.builder(), "Sub", rank, 1, "Sub");
  Endpoint outer_shape;
  {
    const graph::NameScope scope(call.graph(), "Slice");
    const Endpoint begin = call.builder().constant(Array{0}, "begin");
    const Endpoint size = call.op("Pack", {outer}, {{"axis", int64_t{0}}}, "size");
    outer_shape = call.op("Slice", {full_shape, begin, size}, {}, scope.path());
  }
  const Endpoint result = call.op("Reshape", {cost, outer_shape});
  if (shape.has_rank() && shape.rank() > 0) result.node->merge_output_shape(0, without(shape, axis));
  return tensor_of(is_of_16_bits(dtype) ? ops::python_cast(call.builder(), result, dtype) : result);
}

/// The check that labels are as many as the rows of logits.
std::vector<Dependency> same_batch(Composite& call, Endpoint labels, Endpoint logits) {
  const Tensor given = tensor_of(ops::python_shape(call.builder(), labels));
  const Endpoint dims = ops::python_shape(call.builder(), logits);
  const Tensor wanted =
      tensor_of(ops::python_slice_between(call.builder(), dims, std::nullopt, IntOrTensor(-1)));
  return {assert_equal(given, wanted)};
}

}  // namespace

void check_labels_and_logits(std::string_view function, const Input& labels, const Input& logits) {
  if (!is_left_out(labels) && !is_left_out(logits)) return;
  const ErrorLine line(first_in_program(labels.where(), logits.where()));
  throw ValueError(fmt::format("Both `labels` and `logits` must be provided.\n{} was called without {}.",
                               function,
                               is_left_out(labels) ? is_left_out(logits) ? "both" : "`labels`" : "`logits`"));
}

Tensor softmax(const Input& logits, const SoftmaxOptions& options) {
  return softmax_op("Softmax", logits, options);
}
Tensor log_softmax(const Input& logits, const SoftmaxOptions& options) {
  return softmax_op("LogSoftmax", logits, options);
}

Tensor softmax_cross_entropy_with_logits_v2(const SoftmaxCrossEntropyOptions& options) {
  check_labels_and_logits("softmax_cross_entropy_with_logits_v2", options.labels, options.logits);
  Composite call({{"labels", options.labels}, {"logits", options.logits}}, options.name,
                 "softmax_cross_entropy_with_logits", options.logits.where());
  const Endpoint logits = call.convert(options.logits, "logits");
  const Endpoint labels = call.convert(options.labels, "labels");
  return fused_cross_entropy(call, labels, logits, options.axis);
}

Tensor softmax_cross_entropy_with_logits(const SoftmaxCrossEntropyOptions& options) {
  check_labels_and_logits("softmax_cross_entropy_with_logits", options.labels, options.logits);
  Composite outer({{"labels", options.labels}, {"logits", options.logits}}, options.name,
                  "softmax_cross_entropy_with_logits_sg", options.logits.where());
  const Endpoint labels = outer.convert(options.labels, "labels");
  const Endpoint stopped = outer.op("StopGradient", {labels}, {}, "labels_stop_gradient");
  const Endpoint logits = outer.convert(options.logits, "logits");
  return fused_cross_entropy(outer, stopped, logits, options.axis);
}

Tensor sparse_softmax_cross_entropy_with_logits(const CrossEntropyOptions& options) {
  check_labels_and_logits("sparse_softmax_cross_entropy_with_logits", options.labels, options.logits);
  const std::string name = options.name.empty() ? "SparseSoftmaxCrossEntropyWithLogits" : options.name;
  Composite call({{"labels", options.labels}, {"logits", options.logits}}, name, name,
                 options.logits.where());
  graph::Builder& builder = call.builder();
  const Endpoint labels = call.convert(options.labels, "Const");
  const Endpoint logits = call.convert(options.logits, "logits");
  const bool is_half = base_dtype(logits.dtype()) == DType::kFloat16;
  const Endpoint precise = is_half ? ops::python_cast(builder, logits, DType::kFloat32) : logits;
  const auto as_given = [&](Endpoint cost) {
    return tensor_of(is_half ? ops::python_cast(builder, cost, DType::kFloat16) : cost);
  };
  const Endpoint labels_shape = ops::python_shape(builder, labels);
  const Shape& shape = logits.shape();
  const Shape& shape_of_labels = labels.shape();
  if (shape.has_rank() && shape.rank() == 0)
    throw ValueError(fmt::format("`logits` cannot be a scalar. Received logits={}`", tensor_text(logits)));
  if (shape.has_rank() && shape_of_labels.has_rank() && shape_of_labels.rank() != shape.rank() - 1) {
    throw ValueError(fmt::format(
        "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={} of rank "
        "{} and logits.shape={} of rank {}",
        shape_of_labels.to_tuple_string(), shape_of_labels.rank(), shape.to_tuple_string(), shape.rank()));
  }
  const Shape batch = shape.has_rank() ? without(shape, -1) : Shape::unknown_rank();
  const bool are_known = shape_of_labels.is_fully_defined() && batch.is_fully_defined();
  if (are_known && shape_of_labels != batch) {
    throw ValueError(
        fmt::format("`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
                    "labels.shape={} and logits.shape={}",
                    shape_of_labels.to_tuple_string(), shape.to_tuple_string()));
  }
  if (shape.has_rank() && shape.rank() == 2)
    return as_given(call.op("SparseSoftmaxCrossEntropyWithLogits", {precise, labels}, {}, name));
  const std::vector<Dependency> checks =
      are_known ? std::vector<Dependency>{} : same_batch(call, labels, logits);
  const auto after = control_dependencies(checks);
  const Endpoint all_dims = ops::python_shape(builder, logits);
  const Endpoint last =
      ops::python_with_number(builder, "Sub", ops::python_rank_of(builder, logits), 1, "sub");
  const Endpoint classes = ops::python_element(builder, all_dims, last);
  Endpoint flat_logits;
  {
    const graph::NameScope scope(call.graph(), "Reshape");
    const Endpoint to = ops::python_list(builder, {-1, classes}, DType::kInt32, "shape");
    flat_logits = builder.op("Reshape", {precise, to}, {}, scope.path());
  }
  const Endpoint flat_labels = ops::python_reshape_to(builder, labels, {-1});
  const Endpoint flat = call.op("SparseSoftmaxCrossEntropyWithLogits", {flat_logits, flat_labels}, {}, name);
  const Endpoint cost = call.op("Reshape", {flat, labels_shape});
  cost.node->merge_output_shape(0, shape_of_labels);
  return as_given(cost);
}

}  // namespace flowray::tf::nn
