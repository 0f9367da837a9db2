#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"

namespace flowray::tf {

std::vector<Tensor> svd(const Input& tensor, const SvdOptions& options) {
  const ErrorLine errors(tensor.where());
  check_set(tensor, "tensor");
  graph::Node* node = apply_op_node(
      {.op = "Svd",
       .name = options.name,
       .args = {tensor},
       .attrs = {{"compute_uv", options.compute_uv}, {"full_matrices", options.full_matrices}}});
  std::vector<Tensor> outputs;
  for (int i = 0; i < (options.compute_uv ? 3 : 1); ++i) outputs.emplace_back(node, i);
  return outputs;
}

Tensor cholesky_solve(const Input& chol, const Input& rhs, const NameOption& options) {
  Composite scope({{"chol", chol}, {"rhs", rhs}}, options.name, "cholesky_solve", chol.where());
  const auto solve = [&](const Input& right, bool adjoint) {
    return apply_op({.op = "MatrixTriangularSolve",
                     .args = {chol, right},
                     .attrs = {{"adjoint", adjoint}, {"lower", true}}});
  };
  return solve(solve(rhs, false), true);
}

namespace linalg {

Tensor logdet(const Input& matrix, const NameOption& options) {
  Composite scope({{"matrix", matrix}}, options.name, "logdet", matrix.where());
  const Tensor chol = apply_op({.op = "Cholesky", .args = {matrix}});
  const Tensor diagonal = apply_op({.op = "MatrixDiagPartV3",
                                    .name = "diag_part",
                                    .args = {chol, 0, 0},
                                    .attrs = {{"align", std::string("RIGHT_LEFT")}}});
  const Tensor sum = reduce_sum(log(real(diagonal)), {.axis = Input::list({-1})});
  return 2.0 * sum;
}

}  // namespace linalg
}  // namespace flowray::tf
