#pragma once
/// Products, decompositions, diagonals, einsum.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_matrix_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// Einsum.
void register_einsum_ops(graph::OpTable& table);
/// Qr, Cholesky, MatrixInverse, MatrixDeterminant, MatrixSolve, SelfAdjointEigV2, Svd, Lu,
/// MatrixExponential, MatrixLogarithm.
void register_linear_algebra_ops(graph::OpTable& table);
/// MatMul, BatchMatMulV2.
void register_matmul_ops(graph::OpTable& table);
/// MatrixDiag, MatrixDiagPart, MatrixSetDiag, in all versions.
void register_matrix_diagonal_ops(graph::OpTable& table);
/// MatrixTriangularSolve.
void register_triangular_solve_ops(graph::OpTable& table);
/// SparseTensorDenseMatMul, SparseMatMul.
void register_sparse_product_ops(graph::OpTable& table);
/// Cross.
void register_cross_ops(graph::OpTable& table);
/// MatrixBandPart.
void register_matrix_band_part_ops(graph::OpTable& table);

}  // namespace flowray::ops
