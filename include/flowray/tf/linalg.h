#pragma once
/// Identity matrices, norms, decompositions, products by letters: tf.linalg of TensorFlow 1, some of which
/// is in tf itself. matmul and tensordot are in flowray/tf/math.h, transpose in flowray/tf/array.h. Nodes
/// and names are those that TensorFlow's functions make.
///
/// Of all of these: matrices are the last two dimensions, [..., m, n], those before them count matrices.
/// What is decomposed or solved is floats or complex numbers, TypeError for others. Throws ValueError for
/// shapes that do not fit (a vector, m x n where a square is wanted), where the function is called; a matrix
/// without an inverse, or not positive definite, is an errors::InvalidArgumentError of the step.

#include <flowray/tf/input.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct EyeOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Left out: as many as rows.
  OptionalInput num_columns = {};
  /// Dimensions before those of the matrix, all of which are the same.
  OptionalInput batch_shape = {};
  /// The dtype of the result.
  DType dtype = DType::kFloat32;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// 1 on the diagonal, else 0: tf::eye(2), tf::eye(2, 3). Numbers of rows and columns may be scalar tensors.
/// Throws TypeError for numbers that are not integers.
Tensor eye(const Input& num_rows, const EyeOptions& options = {});
/// The same with the number of columns as the second argument: tf::eye(2, 3).
template <InputLike T>
Tensor eye(const Input& num_rows, const T& num_columns, EyeOptions options = {}) {
  options.num_columns = num_columns;
  return eye(num_rows, options);
}

/// The sum of the diagonal of the last two dimensions: [..., m, n] gives [...].
Tensor trace(const Input& x, const NameOption& options = {});

struct NormOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// "euclidean", "fro" (of matrices, the same), or a number above 0, infinity among them.
  std::variant<double, std::string> ord = "euclidean";
  /// One dimension: of vectors; two: of matrices; left out: of all elements in a row.
  OptionalInput axis = {};
  /// Keeps reduced dimensions, with size 1; true where the result meets the input again: it broadcasts then.
  bool keepdims = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The length of vectors or matrices. Throws ValueError for an invalid order or axes,
/// UnimplementedError for the order 2 of matrices, which is another thing than "fro".
Tensor norm(const Input& tensor, const NormOptions& options = {});

struct SvdOptions {
  /// All of u and v, not the columns alone that belong to singular values; true for a basis of the whole
  /// space; it costs memory where one side is long.
  bool full_matrices = false;
  /// Whether u and v are given, too; false where singular values are all that is wanted: less work.
  bool compute_uv = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The singular values of each matrix, descending, and u and v where they are asked for: tensor = u s v^H.
std::vector<Tensor> svd(const Input& tensor, const SvdOptions& options = {});
/// The x of A x = rhs by the Cholesky decomposition of A.
Tensor cholesky_solve(const Input& chol, const Input& rhs, const NameOption& options = {});

/// tf::einsum("ij,jk->ik", {a, b}): the sums of products of elements, a letter for each dimension; letters
/// that the result lacks are summed over, "..." stands for dimensions that broadcast, and blanks are
/// skipped. Without "->" the result has the letters that occur once, in the alphabet's order. Three and more
/// tensors are multiplied two by two, in the order that opt_einsum's greedy search finds. Throws ValueError
/// for an equation that is malformed or does not fit the inputs.
Tensor einsum(std::string_view equation, const List<Input>& inputs, const NameOption& options = {});

namespace linalg {

struct Normalized {
  /// The tensor divided by its norm, in its shape.
  Tensor normalized;
  /// The norm, whose reduced dimensions have size 1.
  Tensor norm;
};
/// The tensor divided by its norm, and that norm.
Normalized normalize(const Input& tensor, const NormOptions& options = {});

struct MatVecOptions {
  /// Whether the last two dimensions of a are exchanged first. Cheaper than transposing it in a node of its
  /// own.
  bool transpose_a = false;
  /// Whether a is conjugated and transposed first; for real numbers the same as transposed.
  bool adjoint_a = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Matrices times vectors: [..., m, n] times [..., n] is [..., m].
Tensor matvec(const Input& a, const Input& b, const MatVecOptions& options = {});

/// The last two dimensions exchanged, and complex numbers conjugated. Throws ValueError for a vector
/// or scalar.
Tensor adjoint(const Input& matrix, const NameOption& options = {});

/// The logarithm of the determinant of each symmetric (hermitian) positive definite matrix.
Tensor logdet(const Input& matrix, const NameOption& options = {});

// The functions below are made of fewer nodes than TensorFlow's.

struct PinvOptions {
  /// Singular values that are smaller than this part of the greatest one are taken for 0; left out: 10 times
  /// the greater size times the precision of the dtype.
  OptionalInput rcond = {};
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The Moore-Penrose inverse of each matrix: [..., m, n] gives [..., n, m]. Throws TypeError for a dtype
/// other than a float's.
Tensor pinv(const Input& a, const PinvOptions& options = {});

struct MatrixRankOptions {
  /// Singular values up to this are taken for 0; left out: the precision of the dtype times the greater size
  /// times the greatest singular value.
  OptionalInput tol = {};
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// How many singular values of each matrix are not 0, as int32.
Tensor matrix_rank(const Input& a, const MatrixRankOptions& options = {});

/// The exponential of each square matrix, 1 + A + A^2 / 2 + ... . Source: Higham,
/// 2005 (scaling and squaring).
Tensor expm(const Input& input, const NameOption& options = {});

struct LeastSquaresOptions {
  /// How much the length of the solution counts.
  double l2_regularizer = 0;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The x that makes |matrix x - rhs| least, by the normal equations: [..., m, n] and [..., m, k] give
/// [..., n, k]. Where there are several (m < n), the shortest.
Tensor lstsq(const Input& matrix, const Input& rhs, const LeastSquaresOptions& options = {});

struct TridiagonalOptions {
  /// "compact": [..., 3, m], superdiagonal, diagonal, subdiagonal; "matrix": [..., m, m]; "sequence": a list
  /// of the three, [..., m] each. What sticks out of the matrix,
  /// the last above and the first below, is not read.
  std::string diagonals_format = "compact";
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// A matrix that is zero beside three diagonals, times [..., m, n]. Throws ValueError for an unknown format.
Tensor tridiagonal_matmul(const List<Input>& diagonals, const Input& rhs,
                          const TridiagonalOptions& options = {});
/// The x of A x = rhs for such a matrix, by elimination in a whole one; rhs is [..., m] or [..., m, n].
/// Throws ValueError for an unknown format.
Tensor tridiagonal_solve(const List<Input>& diagonals, const Input& rhs,
                         const TridiagonalOptions& options = {});

struct LuFactors {
  /// The upper factor, and below its diagonal the lower one, whose diagonal is 1.
  Tensor lower_upper;
  /// Of each row of the product of both the row of the matrix.
  Tensor p;
};
struct LuOptions {
  /// int32 or int64.
  DType output_idx_type = DType::kInt32;
  /// The name of its node; empty: the function's own.
  std::string name = {};
};
/// The factors of square matrices with pivots by rows. A matrix that is not invertible is an
/// InvalidArgumentError of the step.
LuFactors lu(const Input& input, const LuOptions& options = {});
/// The x of A x = rhs by the factors of A: [..., m, n].
Tensor lu_solve(const Input& lower_upper, const Input& perm, const Input& rhs,
                const NameOption& options = {});
/// The matrices of the factors of lu(): [..., n, n].
Tensor lu_reconstruct(const Input& lower_upper, const Input& perm, const NameOption& options = {});
/// The inverses of the matrices of the factors of lu(): [..., n, n].
Tensor lu_matrix_inverse(const Input& lower_upper, const Input& perm, const NameOption& options = {});

}  // namespace linalg

}  // namespace flowray::tf

#pragma GCC visibility pop
