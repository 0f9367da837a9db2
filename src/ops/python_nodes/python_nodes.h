#pragma once
/// The nodes that TensorFlow's Python layer makes for common expressions: gradients are written in them, so
/// that the nodes and their names are TensorFlow's.

#include "graph/builder.h"

namespace flowray::ops {

/// array_ops.shape(x): a Const where the shape is known, else a Shape node.
graph::Endpoint python_shape(graph::Builder& g, graph::Endpoint x, std::string_view name = "Shape");

/// x[begin:end] of an integer vector; nullptr stands for an omitted bound.
graph::Endpoint python_slice(graph::Builder& g, graph::Endpoint x, const int32_t* begin, const int32_t* end);

/// math_ops.reduce_sum(x, -1, keepdims=True).
graph::Endpoint python_sum_last_axis(graph::Builder& g, graph::Endpoint x);

/// array_ops.zeros_like(x): a Const where the shape is known, else a ZerosLike node.
graph::Endpoint python_zeros_like(graph::Builder& g, graph::Endpoint x);

/// array_ops.expand_dims(x, axis).
graph::Endpoint python_expand_dims(graph::Builder& g, graph::Endpoint x, int32_t axis);

/// array_ops.concat(values, 0).
graph::Endpoint python_concat(graph::Builder& g, std::vector<graph::Endpoint> values);

/// array_ops.ones_like(x) of a tensor of known shape.
graph::Endpoint python_ones_like(graph::Builder& g, graph::Endpoint x);

}  // namespace flowray::ops
