#pragma once
/// Singular values, and what is solved by Cholesky decompositions.

#include <flowray/tf/input.h>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct SvdOptions {
  /// All of u and v, not the columns alone that belong to singular values.
  bool full_matrices = false;
  bool compute_uv = true;
  std::string name = {};
};
/// The singular values of each matrix, descending, and u and v where they are asked for: tensor = u s v^H.
std::vector<Tensor> svd(const Input& tensor, const SvdOptions& options = {});
/// The x of A x = rhs by the Cholesky decomposition of A.
Tensor cholesky_solve(const Input& chol, const Input& rhs, const NameOption& options = {});

namespace linalg {

/// The logarithm of the determinant of each symmetric (hermitian) positive definite matrix.
Tensor logdet(const Input& matrix, const NameOption& options = {});

}  // namespace linalg

}  // namespace flowray::tf

#pragma GCC visibility pop
