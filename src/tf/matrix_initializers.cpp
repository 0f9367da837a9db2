#include <flowray/tf/array_ops.h>
#include <flowray/tf/init_ops.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random_ops.h>

#include "tf/apply_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace flowray::tf {
namespace {

/// A matrix with ones on its diagonal, in TensorFlow's nodes.
Tensor unit_matrix(int64_t rows, int64_t columns, DType dtype) {
  graph::Graph& graph = default_graph();
  const graph::NameScope scope(graph, "eye");
  const Tensor diagonal = ones({std::min(rows, columns)}, dtype);
  graph::Builder builder(graph);
  if (rows != columns) {
    const Tensor empty = zeros({rows, columns}, dtype);
    const graph::NameScope inner(graph, "set_diag");
    const graph::Endpoint k = builder.constant(Array(int32_t{0}), "k");
    return tensor_of(
        builder.op("MatrixSetDiagV3", {endpoint_of(empty), endpoint_of(diagonal), k}, {}, inner.path()));
  }
  const graph::NameScope inner(graph, "diag");
  const graph::Endpoint k = builder.constant(Array(int32_t{0}), "k");
  const graph::Endpoint num_rows = builder.constant(Array(int32_t{-1}), "num_rows");
  const graph::Endpoint num_cols = builder.constant(Array(int32_t{-1}), "num_cols");
  const graph::Endpoint padding = builder.constant(Array(0.0).astype(dtype), "padding_value");
  return tensor_of(
      builder.op("MatrixDiagV3", {endpoint_of(diagonal), k, num_rows, num_cols, padding}, {}, inner.path()));
}

}  // namespace

Initializer orthogonal_initializer(const GainOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    if (shape.rank() < 2) {
      throw ValueError(
          fmt::format("The tensor to initialize, specified by argument `shape` must be at least "
                      "two-dimensional. Received shape={}",
                      shape.to_tuple_string()));
    }
    const int64_t columns = shape.dim(-1);
    const int64_t rows = columns == 0 ? 0 : shape.num_elements() / columns;
    const Tensor random = random_normal(TensorShape{std::max(rows, columns), std::min(rows, columns)}, 0.0,
                                        1.0, {.dtype = dtype, .seed = options.seed});
    graph::Node* const factors =
        apply_op_node({.op = "Qr", .args = {random}, .attrs = {{"full_matrices", false}}});
    const Tensor diagonal = apply_op({.op = "DiagPart", .args = {Tensor(factors, 1)}});
    // Of one sign, so that the matrix is uniform among the orthogonal ones.
    Tensor matrix = Tensor(factors, 0) * sign(diagonal);
    if (rows < columns) matrix = matrix_transpose(matrix);
    return options.gain * reshape(matrix, shape);
  });
}

Initializer uniform_unit_scaling_initializer(const UniformUnitScalingOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    double inputs = 1.0;
    for (int i = 0; i + 1 < shape.rank(); ++i) inputs *= static_cast<double>(shape.dim(i));
    const double limit = std::sqrt(3 / std::max(inputs, 1.0)) * options.factor;
    return random_uniform(shape, -limit, limit, {.dtype = dtype, .seed = options.seed});
  });
}

namespace initializers {

Initializer identity(double gain) {
  return Initializer::Function([gain](const TensorShape& shape, DType dtype) {
    if (shape.rank() != 2) {
      throw ValueError(fmt::format(
          "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
          "Received shape={}",
          shape.to_tuple_string()));
    }
    return gain * unit_matrix(shape.dim(0), shape.dim(1), dtype);
  });
}

}  // namespace initializers

}  // namespace flowray::tf
