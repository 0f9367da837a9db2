#pragma once
/// Nodes that TensorFlow's Python makes of sparse tensors, for gradients.

#include "graph/builder.h"

namespace flowray::ops {

struct SparseNodes {
  graph::Endpoint indices;
  graph::Endpoint values;
  graph::Endpoint dense_shape;
};

/// sparse_ops.sparse_reorder(sparse), with the shape that it makes beside.
SparseNodes python_reordered(graph::Builder& g, const SparseNodes& sparse);

}  // namespace flowray::ops
