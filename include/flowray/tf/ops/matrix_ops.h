#pragma once
/// Functions of single ops: products and decompositions. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// input:T -> output:T
inline Tensor BatchCholesky(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("BatchCholesky", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

struct BatchMatMulOptions {
  bool adj_x = false;
  bool adj_y = false;
  bool grad_x = false;
  bool grad_y = false;
  /// Of the node; empty: "BatchMatMul".
  std::string name = {};
};
/// x:T, y:T -> output:T
inline Tensor BatchMatMul(const Input& x, const Input& y, const BatchMatMulOptions& options = {}) {
  const Operation op = internal::make("BatchMatMul", options.name, {x, y},
                                      {{"adj_x", options.adj_x},
                                       {"adj_y", options.adj_y},
                                       {"grad_x", options.grad_x},
                                       {"grad_y", options.grad_y}},
                                      {});
  return internal::output(op, 0);
}

struct BatchMatMulV2Options {
  bool adj_x = false;
  bool adj_y = false;
  bool grad_x = false;
  bool grad_y = false;
  /// Of the node; empty: "BatchMatMulV2".
  std::string name = {};
};
/// x:T, y:T -> output:T
inline Tensor BatchMatMulV2(const Input& x, const Input& y, const BatchMatMulV2Options& options = {}) {
  const Operation op = internal::make("BatchMatMulV2", options.name, {x, y},
                                      {{"adj_x", options.adj_x},
                                       {"adj_y", options.adj_y},
                                       {"grad_x", options.grad_x},
                                       {"grad_y", options.grad_y}},
                                      {});
  return internal::output(op, 0);
}

struct BatchMatMulV3Options {
  bool adj_x = false;
  bool adj_y = false;
  bool grad_x = false;
  bool grad_y = false;
  /// Of the node; empty: "BatchMatMulV3".
  std::string name = {};
};
/// x:Ta, y:Tb -> output:Tout
/// `Tout`: the dtype of `output`. One of bfloat16, float16, float32, float64, int16, int32, int64,
/// complex64, complex128.
inline Tensor BatchMatMulV3(const Input& x, const Input& y, DType Tout,
                            const BatchMatMulV3Options& options = {}) {
  const Operation op = internal::make("BatchMatMulV3", options.name, {x, y},
                                      {{"Tout", Tout},
                                       {"adj_x", options.adj_x},
                                       {"adj_y", options.adj_y},
                                       {"grad_x", options.grad_x},
                                       {"grad_y", options.grad_y}},
                                      {});
  return internal::output(op, 0);
}

struct BatchMatrixInverseOptions {
  bool adjoint = false;
  /// Of the node; empty: "BatchMatrixInverse".
  std::string name = {};
};
/// input:T -> output:T
inline Tensor BatchMatrixInverse(const Input& input, const BatchMatrixInverseOptions& options = {}) {
  const Operation op =
      internal::make("BatchMatrixInverse", options.name, {input}, {{"adjoint", options.adjoint}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor Cholesky(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("Cholesky", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// l:T, grad:T -> output:T
inline Tensor CholeskyGrad(const Input& l, const Input& grad, const NameOption& options = {}) {
  const Operation op = internal::make("CholeskyGrad", options.name, {l, grad}, {}, {});
  return internal::output(op, 0);
}

/// a:T, b:T -> product:T
inline Tensor Cross(const Input& a, const Input& b, const NameOption& options = {}) {
  const Operation op = internal::make("Cross", options.name, {a, b}, {}, {});
  return internal::output(op, 0);
}

/// inputs:N*T -> output:T
inline Tensor Einsum(const List<Input>& inputs, const std::string& equation, const NameOption& options = {}) {
  const Operation op = internal::make("Einsum", options.name, {inputs.items()}, {{"equation", equation}}, {});
  return internal::output(op, 0);
}

/// What LogMatrixDeterminant gives.
struct LogMatrixDeterminantResult {
  Tensor sign;
  Tensor log_abs_determinant;
};
/// input:T -> sign:T, log_abs_determinant:T
inline LogMatrixDeterminantResult LogMatrixDeterminant(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("LogMatrixDeterminant", options.name, {input}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What Lu gives.
struct LuResult {
  Tensor lu;
  Tensor p;
};
struct LuOptions {
  /// The dtype of `p`. One of int32, int64.
  DType output_idx_type = DType::kInt32;
  /// Of the node; empty: "Lu".
  std::string name = {};
};
/// input:T -> lu:T, p:output_idx_type
inline LuResult Lu(const Input& input, const LuOptions& options = {}) {
  const Operation op =
      internal::make("Lu", options.name, {input}, {{"output_idx_type", options.output_idx_type}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct MatMulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool grad_a = false;
  bool grad_b = false;
  /// Of the node; empty: "MatMul".
  std::string name = {};
};
/// a:T, b:T -> product:T
inline Tensor MatMul(const Input& a, const Input& b, const MatMulOptions& options = {}) {
  const Operation op = internal::make("MatMul", options.name, {a, b},
                                      {{"transpose_a", options.transpose_a},
                                       {"transpose_b", options.transpose_b},
                                       {"grad_a", options.grad_a},
                                       {"grad_b", options.grad_b}},
                                      {});
  return internal::output(op, 0);
}

/// input:T, num_lower:Tindex, num_upper:Tindex -> band:T
inline Tensor MatrixBandPart(const Input& input, const Input& num_lower, const Input& num_upper,
                             const NameOption& options = {}) {
  const Operation op = internal::make("MatrixBandPart", options.name, {input, num_lower, num_upper}, {}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor MatrixDeterminant(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("MatrixDeterminant", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// diagonal:T -> output:T
inline Tensor MatrixDiag(const Input& diagonal, const NameOption& options = {}) {
  const Operation op = internal::make("MatrixDiag", options.name, {diagonal}, {}, {});
  return internal::output(op, 0);
}

/// input:T -> diagonal:T
inline Tensor MatrixDiagPart(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("MatrixDiagPart", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:T, k:int32, padding_value:T -> diagonal:T
inline Tensor MatrixDiagPartV2(const Input& input, const Input& k, const Input& padding_value,
                               const NameOption& options = {}) {
  const Operation op = internal::make("MatrixDiagPartV2", options.name, {input, k, padding_value}, {}, {});
  return internal::output(op, 0);
}

struct MatrixDiagPartV3Options {
  /// One of "LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT".
  std::string align = "RIGHT_LEFT";
  /// Of the node; empty: "MatrixDiagPartV3".
  std::string name = {};
};
/// input:T, k:int32, padding_value:T -> diagonal:T
inline Tensor MatrixDiagPartV3(const Input& input, const Input& k, const Input& padding_value,
                               const MatrixDiagPartV3Options& options = {}) {
  const Operation op = internal::make("MatrixDiagPartV3", options.name, {input, k, padding_value},
                                      {{"align", options.align}}, {});
  return internal::output(op, 0);
}

/// diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T -> output:T
inline Tensor MatrixDiagV2(const Input& diagonal, const Input& k, const Input& num_rows,
                           const Input& num_cols, const Input& padding_value,
                           const NameOption& options = {}) {
  const Operation op =
      internal::make("MatrixDiagV2", options.name, {diagonal, k, num_rows, num_cols, padding_value}, {}, {});
  return internal::output(op, 0);
}

struct MatrixDiagV3Options {
  /// One of "LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT".
  std::string align = "RIGHT_LEFT";
  /// Of the node; empty: "MatrixDiagV3".
  std::string name = {};
};
/// diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T -> output:T
inline Tensor MatrixDiagV3(const Input& diagonal, const Input& k, const Input& num_rows,
                           const Input& num_cols, const Input& padding_value,
                           const MatrixDiagV3Options& options = {}) {
  const Operation op =
      internal::make("MatrixDiagV3", options.name, {diagonal, k, num_rows, num_cols, padding_value},
                     {{"align", options.align}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor MatrixExponential(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("MatrixExponential", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

struct MatrixInverseOptions {
  bool adjoint = false;
  /// Of the node; empty: "MatrixInverse".
  std::string name = {};
};
/// input:T -> output:T
inline Tensor MatrixInverse(const Input& input, const MatrixInverseOptions& options = {}) {
  const Operation op =
      internal::make("MatrixInverse", options.name, {input}, {{"adjoint", options.adjoint}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor MatrixLogarithm(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("MatrixLogarithm", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:T, diagonal:T -> output:T
inline Tensor MatrixSetDiag(const Input& input, const Input& diagonal, const NameOption& options = {}) {
  const Operation op = internal::make("MatrixSetDiag", options.name, {input, diagonal}, {}, {});
  return internal::output(op, 0);
}

/// input:T, diagonal:T, k:int32 -> output:T
inline Tensor MatrixSetDiagV2(const Input& input, const Input& diagonal, const Input& k,
                              const NameOption& options = {}) {
  const Operation op = internal::make("MatrixSetDiagV2", options.name, {input, diagonal, k}, {}, {});
  return internal::output(op, 0);
}

struct MatrixSetDiagV3Options {
  /// One of "LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT".
  std::string align = "RIGHT_LEFT";
  /// Of the node; empty: "MatrixSetDiagV3".
  std::string name = {};
};
/// input:T, diagonal:T, k:int32 -> output:T
inline Tensor MatrixSetDiagV3(const Input& input, const Input& diagonal, const Input& k,
                              const MatrixSetDiagV3Options& options = {}) {
  const Operation op =
      internal::make("MatrixSetDiagV3", options.name, {input, diagonal, k}, {{"align", options.align}}, {});
  return internal::output(op, 0);
}

struct MatrixSolveOptions {
  bool adjoint = false;
  /// Of the node; empty: "MatrixSolve".
  std::string name = {};
};
/// matrix:T, rhs:T -> output:T
inline Tensor MatrixSolve(const Input& matrix, const Input& rhs, const MatrixSolveOptions& options = {}) {
  const Operation op =
      internal::make("MatrixSolve", options.name, {matrix, rhs}, {{"adjoint", options.adjoint}}, {});
  return internal::output(op, 0);
}

struct MatrixTriangularSolveOptions {
  bool lower = true;
  bool adjoint = false;
  /// Of the node; empty: "MatrixTriangularSolve".
  std::string name = {};
};
/// matrix:T, rhs:T -> output:T
inline Tensor MatrixTriangularSolve(const Input& matrix, const Input& rhs,
                                    const MatrixTriangularSolveOptions& options = {}) {
  const Operation op = internal::make("MatrixTriangularSolve", options.name, {matrix, rhs},
                                      {{"lower", options.lower}, {"adjoint", options.adjoint}}, {});
  return internal::output(op, 0);
}

/// What Qr gives.
struct QrResult {
  Tensor q;
  Tensor r;
};
struct QrOptions {
  bool full_matrices = false;
  /// Of the node; empty: "Qr".
  std::string name = {};
};
/// input:T -> q:T, r:T
inline QrResult Qr(const Input& input, const QrOptions& options = {}) {
  const Operation op =
      internal::make("Qr", options.name, {input}, {{"full_matrices", options.full_matrices}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// input:T -> output:T
inline Tensor SelfAdjointEig(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("SelfAdjointEig", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// What SelfAdjointEigV2 gives.
struct SelfAdjointEigV2Result {
  Tensor e;
  Tensor v;
};
struct SelfAdjointEigV2Options {
  bool compute_v = true;
  /// Of the node; empty: "SelfAdjointEigV2".
  std::string name = {};
};
/// input:T -> e:T, v:T
inline SelfAdjointEigV2Result SelfAdjointEigV2(const Input& input,
                                               const SelfAdjointEigV2Options& options = {}) {
  const Operation op =
      internal::make("SelfAdjointEigV2", options.name, {input}, {{"compute_v", options.compute_v}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct SparseMatMulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool a_is_sparse = false;
  bool b_is_sparse = false;
  /// Of the node; empty: "SparseMatMul".
  std::string name = {};
};
/// a:Ta, b:Tb -> product:float32
inline Tensor SparseMatMul(const Input& a, const Input& b, const SparseMatMulOptions& options = {}) {
  const Operation op = internal::make("SparseMatMul", options.name, {a, b},
                                      {{"transpose_a", options.transpose_a},
                                       {"transpose_b", options.transpose_b},
                                       {"a_is_sparse", options.a_is_sparse},
                                       {"b_is_sparse", options.b_is_sparse}},
                                      {});
  return internal::output(op, 0);
}

struct SparseTensorDenseMatMulOptions {
  bool adjoint_a = false;
  bool adjoint_b = false;
  /// Of the node; empty: "SparseTensorDenseMatMul".
  std::string name = {};
};
/// a_indices:Tindices, a_values:T, a_shape:int64, b:T -> product:T
inline Tensor SparseTensorDenseMatMul(const Input& a_indices, const Input& a_values, const Input& a_shape,
                                      const Input& b, const SparseTensorDenseMatMulOptions& options = {}) {
  const Operation op =
      internal::make("SparseTensorDenseMatMul", options.name, {a_indices, a_values, a_shape, b},
                     {{"adjoint_a", options.adjoint_a}, {"adjoint_b", options.adjoint_b}}, {});
  return internal::output(op, 0);
}

/// What Svd gives.
struct SvdResult {
  Tensor s;
  Tensor u;
  Tensor v;
};
struct SvdOptions {
  bool compute_uv = true;
  bool full_matrices = false;
  /// Of the node; empty: "Svd".
  std::string name = {};
};
/// input:T -> s:T, u:T, v:T
inline SvdResult Svd(const Input& input, const SvdOptions& options = {}) {
  const Operation op =
      internal::make("Svd", options.name, {input},
                     {{"compute_uv", options.compute_uv}, {"full_matrices", options.full_matrices}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
