#include "ops/sparse/sparse_nodes.h"

#include "graph/constant_value.h"
#include "ops/python_nodes/python_array_nodes.h"

namespace flowray::ops {

SparseNodes python_reordered(graph::Builder& g, const SparseNodes& sparse) {
  const std::vector<graph::Endpoint> parts =
      python_outputs(g, "SparseReorder", {sparse.indices, sparse.values, sparse.dense_shape});
  const Shape known = graph::constant_value_as_shape(sparse.dense_shape);
  graph::Endpoint dims;
  if (known.is_fully_defined()) {
    const graph::NameScope scope(g.graph(), "SparseTensor");
    dims = python_integers(g, {known.begin(), known.end()}, DType::kInt64, "dense_shape");
  } else {
    dims = g.op("Identity", {sparse.dense_shape});
  }
  return {parts[0], parts[1], dims};
}

}  // namespace flowray::ops
