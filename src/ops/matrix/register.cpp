#include "ops/matrix/register.h"

namespace flowray::ops {

void register_matrix_family(graph::OpTable& table) {
  register_einsum_ops(table);
  register_linear_algebra_ops(table);
  register_matmul_ops(table);
  register_matrix_diagonal_ops(table);
  register_triangular_solve_ops(table);
  register_sparse_product_ops(table);
  register_cross_ops(table);
  register_matrix_band_part_ops(table);
}

}  // namespace flowray::ops
