#include "ops/python_nodes/python_nodes.h"

namespace flowray::ops {

using graph::Builder;
using graph::Endpoint;
using graph::NameScope;

namespace {

Array dims_array(const Shape& shape) {
  Array dims(DType::kInt32, Shape{shape.rank()});
  int32_t* out = dims.mutable_data<int32_t>();
  for (int i = 0; i < shape.rank(); ++i) out[i] = static_cast<int32_t>(shape.dim(i));
  return dims;
}

Array vector_of(int32_t value) { return Array(std::vector<int32_t>{value}); }

/// A scalar of any numeric dtype.
Array scalar(DType dtype, int32_t value) { return Array(value).astype(dtype); }

/// Above so many elements TensorFlow's Python makes a Fill node instead of a Const.
constexpr int64_t kSmallConstantElements = 1000;

}  // namespace

Endpoint python_shape(Builder& g, Endpoint x, std::string_view name) {
  if (x.shape().is_fully_defined()) return g.constant(dims_array(x.shape()), name);
  return g.op("Shape", {x}, {}, name);
}

Endpoint python_slice(Builder& g, Endpoint x, const int32_t* begin, const int32_t* end) {
  const NameScope scope(g.graph(), "strided_slice");
  const Endpoint first = g.constant(vector_of(begin == nullptr ? 0 : *begin), "stack");
  const Endpoint last = g.constant(vector_of(end == nullptr ? 0 : *end), "stack_1");
  const Endpoint strides = g.constant(vector_of(1), "stack_2");
  return g.op("StridedSlice", {x, first, last, strides},
              {{"begin_mask", int64_t{begin == nullptr}}, {"end_mask", int64_t{end == nullptr}}},
              scope.path());
}

Endpoint python_sum_last_axis(Builder& g, Endpoint x) {
  const NameScope scope(g.graph(), "Sum");
  const Endpoint axis = g.constant(Array(int32_t{-1}), "reduction_indices");
  return g.op("Sum", {x, axis}, {{"keep_dims", true}}, scope.path());
}

Endpoint python_zeros_like(Builder& g, Endpoint x) {
  const DType dtype = base_dtype(x.dtype());
  const Shape& shape = x.shape();
  if (!shape.is_fully_defined()) return g.op("ZerosLike", {x}, {}, "zeros_like");
  if (shape.num_elements() < kSmallConstantElements) return g.constant(Array(dtype, shape), "zeros_like");
  const NameScope scope(g.graph(), "zeros_like");
  const Endpoint dims = g.constant(dims_array(shape), "shape_as_tensor");
  return g.op("Fill", {dims, g.constant(scalar(dtype, 0))}, {}, scope.path());
}

Endpoint python_expand_dims(Builder& g, Endpoint x, int32_t axis) {
  const NameScope scope(g.graph(), "ExpandDims");
  return g.op("ExpandDims", {x, g.constant(Array(axis), "dim")}, {}, scope.path());
}

Endpoint python_concat(Builder& g, std::vector<Endpoint> values) {
  const NameScope scope(g.graph(), "concat");
  values.push_back(g.constant(Array(int32_t{0}), "axis"));
  return g.op("ConcatV2", std::move(values), {}, scope.path());
}

Endpoint python_ones_like(Builder& g, Endpoint x) {
  const NameScope scope(g.graph(), "ones_like");
  Endpoint dims;
  if (x.shape().is_fully_defined()) {
    const NameScope shape_scope(g.graph(), "Shape");
    dims = g.constant(dims_array(x.shape()), "shape_as_tensor");
  } else {
    dims = g.op("Shape", {x});
  }
  const Endpoint one = g.constant(scalar(base_dtype(x.dtype()), 1));
  return g.op("Fill", {dims, one}, {}, scope.path());
}

}  // namespace flowray::ops
