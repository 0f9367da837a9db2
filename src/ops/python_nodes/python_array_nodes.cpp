#include "ops/python_nodes/python_array_nodes.h"

#include <algorithm>
#include <string>

namespace flowray::ops {

using graph::Builder;
using graph::Endpoint;
using graph::NameScope;

namespace {

bool all_numbers(const std::vector<IntOrTensor>& items) {
  return std::none_of(items.begin(), items.end(), [](const IntOrTensor& item) { return bool{item.tensor}; });
}

/// The dtype that a list of integers gets: that of its first tensor.
DType list_dtype(const std::vector<IntOrTensor>& items) {
  for (const IntOrTensor& item : items) {
    if (item.tensor) return base_dtype(item.tensor.dtype());
  }
  return DType::kInt32;
}

/// `x[..]` from its three packed bounds.
struct Masks {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t shrink_axis = 0;
};

Endpoint strided_slice(Builder& g, Endpoint x, IntOrTensor begin, IntOrTensor end, IntOrTensor stride,
                       Masks masks) {
  const NameScope scope(g.graph(), "strided_slice");
  const DType dtype = list_dtype({begin, end, stride});
  const Endpoint first = python_list(g, {begin}, dtype, "stack");
  const Endpoint last = python_list(g, {end}, dtype, "stack_1");
  const Endpoint step = python_list(g, {stride}, dtype, "stack_2");
  return g.op("StridedSlice", {x, first, last, step},
              {{"begin_mask", masks.begin}, {"end_mask", masks.end}, {"shrink_axis_mask", masks.shrink_axis}},
              scope.path());
}

}  // namespace

Endpoint python_integers(Builder& g, const std::vector<int64_t>& values, DType dtype, std::string_view name) {
  return g.constant(Array(values).astype(dtype), name);
}

Endpoint python_scalar(Builder& g, int64_t value, DType dtype, std::string_view name) {
  return g.constant(Array(value).astype(dtype), name);
}

Endpoint python_shape_of_type(Builder& g, Endpoint x, DType out_type) {
  const Shape& shape = x.shape();
  if (!shape.is_fully_defined()) return g.op("Shape", {x}, {{"out_type", out_type}});
  return python_integers(g, std::vector<int64_t>(shape.begin(), shape.end()), out_type, "Shape");
}

Endpoint python_size_of(Builder& g, Endpoint x) {
  const Shape& shape = x.shape();
  if (shape.is_fully_defined()) return python_scalar(g, shape.num_elements(), DType::kInt32, "Size");
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return python_scalar(g, 0, DType::kInt32, "Size");
  return g.op("Size", {x});
}

Endpoint python_rank_of(Builder& g, Endpoint x) {
  if (x.shape().has_rank()) return python_scalar(g, x.shape().rank(), DType::kInt32, "Rank");
  return g.op("Rank", {x});
}

Endpoint python_list(Builder& g, const std::vector<IntOrTensor>& items, DType dtype, std::string_view name) {
  if (all_numbers(items)) {
    std::vector<int64_t> values;
    for (const IntOrTensor& item : items) values.push_back(item.value);
    return python_integers(g, values, dtype, name);
  }
  std::vector<Endpoint> inputs;
  for (const IntOrTensor& item : items) {
    const bool needs_cast = item.tensor && base_dtype(item.tensor.dtype()) != dtype;
    inputs.push_back(needs_cast ? g.op("Cast", {item.tensor}, {{"DstT", dtype}}) : item.tensor);
  }
  const NameScope scope(g.graph(), name);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!inputs[i]) inputs[i] = python_scalar(g, items[i].value, dtype, std::to_string(i));
  }
  return g.op("Pack", std::move(inputs), {}, scope.path());
}

Endpoint python_slice_between(Builder& g, Endpoint x, std::optional<IntOrTensor> begin,
                              std::optional<IntOrTensor> end) {
  const bool with_tensor = (begin && begin->tensor) || (end && end->tensor);
  const Masks masks = {.begin = begin ? 0 : 1, .end = end ? 0 : 1};
  if (!with_tensor) return strided_slice(g, x, begin.value_or(0), end.value_or(0), 1, masks);
  // Next to a tensor, what is missing becomes a constant of its own, of the tensor's dtype.
  const DType dtype = base_dtype((begin && begin->tensor ? begin : end)->tensor.dtype());
  const IntOrTensor first = begin ? *begin : python_scalar(g, 0, dtype, "Const");
  const IntOrTensor last = end ? *end : python_scalar(g, 0, dtype, "Const");
  return strided_slice(g, x, first, last, python_scalar(g, 1, dtype, "Const"), masks);
}

Endpoint python_element(Builder& g, Endpoint x, IntOrTensor index) {
  const IntOrTensor end =
      index.tensor ? IntOrTensor(python_with_number(g, "AddV2", index.tensor, 1, "add")) : index.value + 1;
  return strided_slice(g, x, index, end, 1, {.shrink_axis = 1});
}

Endpoint python_concat_lists(Builder& g, const std::vector<TensorOrList>& values, int64_t axis) {
  const NameScope scope(g.graph(), "concat");
  std::vector<Endpoint> inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    const TensorOrList& value = values[i];
    inputs.push_back(value.tensor
                         ? value.tensor
                         : python_list(g, value.items, DType::kInt32, "values_" + std::to_string(i)));
  }
  inputs.push_back(python_scalar(g, axis, DType::kInt32, "axis"));
  return g.op("ConcatV2", std::move(inputs), {}, scope.path());
}

Endpoint python_range(Builder& g, IntOrTensor start, IntOrTensor limit, int64_t step) {
  const NameScope scope(g.graph(), "range");
  const auto as_tensor = [&](const IntOrTensor& value, std::string_view name) {
    return value.tensor ? value.tensor : python_scalar(g, value.value, DType::kInt32, name);
  };
  const Endpoint first = as_tensor(start, "start");
  const Endpoint end = as_tensor(limit, "limit");
  return g.op("Range", {first, end, as_tensor(step, "delta")}, {}, scope.path());
}

Endpoint python_with_number(Builder& g, std::string_view op, Endpoint x, int64_t y, std::string_view name) {
  const NameScope scope(g.graph(), name);
  return g.op(op, {x, python_scalar(g, y, base_dtype(x.dtype()), "y")}, {}, scope.path());
}

Endpoint python_reshape_to(Builder& g, Endpoint x, const std::vector<int64_t>& shape) {
  const NameScope scope(g.graph(), "Reshape");
  return g.op("Reshape", {x, python_integers(g, shape, DType::kInt32, "shape")}, {}, scope.path());
}

Endpoint python_gather(Builder& g, Endpoint params, Endpoint indices) {
  const NameScope scope(g.graph(), "GatherV2");
  return g.op("GatherV2", {params, indices, python_scalar(g, 0, DType::kInt32, "axis")}, {}, scope.path());
}

std::vector<Endpoint> python_outputs(Builder& g, std::string_view op, std::vector<Endpoint> inputs,
                                     graph::Attrs attrs, std::string_view name) {
  graph::Node* const node = g.node(op, std::move(inputs), std::move(attrs), name);
  std::vector<Endpoint> outputs;
  for (int i = 0; i < node->num_outputs(); ++i) outputs.push_back(node->output(i));
  return outputs;
}

}  // namespace flowray::ops
