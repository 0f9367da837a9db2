#pragma once
/// The gradient of gathering rows, whatever they are gathered from.

#include "graph/gradient_context.h"

namespace flowray::ops {

/// A vector with the number of `indices` in it.
graph::Endpoint vector_of_size(graph::GradientContext& g, graph::Endpoint indices);

/// The gradient's slices by index (input 1, `num_indices` in a vector), then summed up into `shape`:
/// TensorFlow's IndexedSlices made dense. The sum is marked (ops/python_nodes/indexed_slices.h), so that an
/// optimizer can take the slices and leave it alone.
graph::Endpoint dense_from_slices(graph::GradientContext& g, graph::Endpoint shape,
                                  graph::Endpoint num_indices);

}  // namespace flowray::ops
