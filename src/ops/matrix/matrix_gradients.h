#pragma once
/// Gradients of decompositions and solutions of matrices, and the nodes that TensorFlow's Python makes
/// of matrices.

#include "graph/gradient_context.h"

#include <vector>

namespace flowray::ops {

struct Adjoints {
  bool a = false;
  bool b = false;
};
/// math_ops.matmul(a, b, adjoint_a, adjoint_b).
graph::Endpoint python_matmul(graph::Builder& g, graph::Endpoint a, graph::Endpoint b,
                              Adjoints adjoints = {});
/// array_ops.matrix_band_part(x, lower, upper).
graph::Endpoint python_band_part(graph::Builder& g, graph::Endpoint x, int32_t lower, int32_t upper);

std::vector<graph::Endpoint> inverse_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> determinant_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> log_determinant_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> matrix_solve_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> cholesky_gradient(graph::GradientContext& g);
/// Throws UnimplementedError, as TensorFlow, for shapes that are not known and for all of a tall matrix's Q.
std::vector<graph::Endpoint> qr_gradient(graph::GradientContext& g);
/// Throws UnimplementedError, as TensorFlow, for matrices of unknown shape, and with full_matrices for those
/// whose rows and columns are more than one apart.
std::vector<graph::Endpoint> svd_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> eigenvalues_gradient(graph::GradientContext& g);

}  // namespace flowray::ops
