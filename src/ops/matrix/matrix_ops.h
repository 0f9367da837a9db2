#pragma once
/// Matrices and lists as wholes: what each file of the family adds to the table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// Qr, Cholesky, MatrixInverse, MatrixDeterminant, MatrixSolve, SelfAdjointEigV2, Svd.
void register_linear_algebra_ops(graph::OpTable& table);
/// MatrixTriangularSolve; register_linear_algebra_ops calls it and the two that follow.
void register_triangular_solve_ops(graph::OpTable& table);
/// MatrixDiag, MatrixDiagPart, MatrixSetDiag, in all versions.
void register_matrix_diagonal_ops(graph::OpTable& table);
/// Einsum.
void register_einsum_ops(graph::OpTable& table);
/// LogUniformCandidateSampler, UniformCandidateSampler, ComputeAccidentalHits.
void register_candidate_ops(graph::OpTable& table);
/// SparseTensorDenseMatMul, HistogramFixedWidth, Cross.
void register_sparse_product_ops(graph::OpTable& table);
/// Roll, DynamicPartition, DenseBincount, SparseToDense, MatrixBandPart.
void register_arrangement_ops(graph::OpTable& table);

}  // namespace flowray::ops
