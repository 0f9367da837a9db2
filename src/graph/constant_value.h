#pragma once
/// What values are known while a graph is built, without a session. Builders of nodes ask here, and the
/// answer takes kernels, which stand above nodes: it is in kernel/constant_value.cpp.

#include "graph/graph.h"

namespace flowray::graph {

/// The value of an endpoint as far as it follows from constants and static shapes; no value where it does
/// not, or where it would be large to compute.
Array constant_value(Endpoint endpoint);

/// The same where numbers that are taken out of shapes count, though other dimensions are unknown:
/// shape(x)[0]. So far TensorFlow's shape functions see, and not what tells a program of values.
Array constant_value_for_shapes(Endpoint endpoint);

/// What is known of an integer vector of dimensions as a shape: constants, and what ops with OpRow::dims make
/// (Shape of partly known tensors, Pack of numbers, ...). Unknown rank where nothing is known.
Shape constant_value_as_shape(Endpoint endpoint);

}  // namespace flowray::graph
