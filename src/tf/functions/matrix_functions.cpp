#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace flowray::tf::linalg {
namespace {

DType real_dtype(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}
double precision(DType dtype) {
  if (real_dtype(dtype) == DType::kFloat64) return std::numeric_limits<double>::epsilon();
  return std::numeric_limits<float>::epsilon();
}

Tensor matrix_of(Composite& scope, const Input& input, const char* name) {
  const Tensor matrix = scope.convert(input, name);
  if (const DType dtype = base_dtype(matrix.dtype()); !is_floating(dtype) && !is_complex(dtype)) {
    throw TypeError(fmt::format("Input `{}` must have `float`-like `dtype` (saw \"<dtype: '{}'>\").", name,
                                dtype_name(dtype)));
  }
  if (matrix.shape().has_rank() && matrix.shape().rank() < 2) {
    throw ValueError(
        fmt::format("Input `{}` must have at least 2 dimensions (saw: {}).", name, matrix.shape().rank()));
  }
  return matrix;
}

/// The greater of the last two sizes, in the dtype.
Tensor greater_size(const Tensor& matrix, DType dtype) {
  return cast(reduce_max(shape(matrix)[Index(Slice{-2, {}})]), dtype);
}

Tensor product(const Tensor& a, const Tensor& b, bool adjoint_a = false, bool adjoint_b = false) {
  return matmul(a, b, {.adjoint_a = adjoint_a, .adjoint_b = adjoint_b});
}
Tensor diagonal_matrix(const Tensor& diagonal) {
  return apply_op({.op = "MatrixDiagV3", .name = "diag", .args = {diagonal, 0, -1, -1, 0}});
}
Tensor diagonal_part(const Tensor& matrix, int k) {
  return apply_op({.op = "MatrixDiagPartV3", .name = "diag_part", .args = {matrix, k, 0}});
}
Tensor with_diagonal(const Tensor& matrix, const Tensor& diagonal) {
  return apply_op({.op = "MatrixSetDiagV3", .name = "set_diag", .args = {matrix, diagonal, 0}});
}
Tensor band(const Tensor& matrix, int lower, int upper) {
  return apply_op({.op = "MatrixBandPart", .args = {matrix, lower, upper}});
}
/// 1 on the diagonal, in the shape of square matrices.
Tensor identity_like(const Tensor& matrix) {
  const Tensor nothing = zeros_like(matrix);
  return with_diagonal(nothing, ones_like(diagonal_part(nothing, 0)));
}

}  // namespace

Tensor pinv(const Input& a, const PinvOptions& options) {
  Composite scope({{"a", a}, {"rcond", options.rcond}}, options.name, "pinv", a.where());
  const Tensor matrix = matrix_of(scope, a, "a");
  const DType dtype = real_dtype(base_dtype(matrix.dtype()));
  const Tensor part = options.rcond.has_value() ? tensor_of(scope.convert(*options.rcond, "rcond", dtype))
                                                : greater_size(matrix, dtype) * (10 * precision(dtype));
  const std::vector<Tensor> factors = svd(matrix);
  const Tensor& values = factors[0];
  const Tensor least = expand_dims(part, -1) * reduce_max(values, -1, {.keepdims = true});
  const Tensor infinite = fill(shape(values), Array(std::numeric_limits<double>::infinity()).astype(dtype));
  const Tensor kept = where(values > least, values, infinite);
  const Tensor divided = factors[2] / cast(expand_dims(kept, -2), base_dtype(matrix.dtype()));
  return product(divided, factors[1], false, true);
}

Tensor matrix_rank(const Input& a, const MatrixRankOptions& options) {
  Composite scope({{"a", a}, {"tol", options.tol}}, options.name, "matrix_rank", a.where());
  const Tensor matrix = matrix_of(scope, a, "a");
  const DType dtype = real_dtype(base_dtype(matrix.dtype()));
  const Tensor values = svd(matrix, {.compute_uv = false})[0];
  const Tensor least = options.tol.has_value() ? tensor_of(scope.convert(*options.tol, "tol", dtype))
                                               : greater_size(matrix, dtype) * precision(dtype) *
                                                     reduce_max(values, -1, {.keepdims = true});
  return reduce_sum(cast(values > least, DType::kInt32), -1);
}

namespace {

/// The coefficients of the approximations of exp(x) by a quotient of polynomials of degree 7 and 13.
constexpr std::array<double, 8> kDegree7 = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
constexpr std::array<double, 14> kDegree13 = {64764752532480000.0,
                                              32382376266240000.0,
                                              7771770303897600.0,
                                              1187353796428800.0,
                                              129060195264000.0,
                                              10559470521600.0,
                                              670442572800.0,
                                              33522128640.0,
                                              1323241920.0,
                                              40840800.0,
                                              960960.0,
                                              16380.0,
                                              182.0,
                                              1.0};

/// The quotient, of a matrix that is near enough to zero.
template <size_t N>
Tensor approximation(const Tensor& matrix, const std::array<double, N>& factors) {
  const Tensor squared = product(matrix, matrix);
  Tensor power = identity_like(matrix);
  Tensor even = factors[0] * power;
  Tensor odd = factors[1] * power;
  for (size_t i = 2; i < N; i += 2) {
    power = product(power, squared);
    even = even + factors[i] * power;
    odd = odd + factors[i + 1] * power;
  }
  odd = product(matrix, odd);
  return apply_op({.op = "MatrixSolve", .args = {even - odd, even + odd}});
}

}  // namespace

Tensor expm(const Input& input, const NameOption& options) {
  Composite scope({{"input", input}}, options.name, "matrix_exponential", input.where());
  const Tensor matrix = matrix_of(scope, input, "input");
  const DType dtype = base_dtype(matrix.dtype());
  const DType real = real_dtype(dtype);
  const bool is_double = real == DType::kFloat64;
  const Tensor sizes = reduce_max(reduce_sum(abs(matrix), -2), -1);
  // Below this norm the quotient is as good as the dtype.
  const double near = is_double ? 5.371920351148152 : 3.925724783138660;
  const Tensor turns = maximum(ceil(log(maximum(sizes, 1e-30) / near) * (1 / 0.6931471805599453)), 0);
  const Tensor counts = expand_dims(expand_dims(turns, -1), -1);
  const Tensor scaled = matrix / cast(pow(constant(Array(2.0).astype(real)), counts), dtype);
  const Tensor start = is_double ? approximation(scaled, kDegree13) : approximation(scaled, kDegree7);
  const Tensor most = reduce_max(turns);
  const auto results = while_loop(
      [&](const Tensor& i, const Tensor&) { return i < most; },
      [&](const Tensor& i, const Tensor& x) {
        return std::vector<Tensor>{
            i + 1, where_v2(logical_and(i < counts, ones_like(counts, DType::kBool)), product(x, x), x)};
      },
      {zeros(Input::list({}), real), start});
  return results[1];
}

Tensor lstsq(const Input& matrix, const Input& rhs, const LeastSquaresOptions& options) {
  Composite scope({{"matrix", matrix}, {"rhs", rhs}}, options.name, "matrix_solve_ls", matrix.where());
  const Tensor a = matrix_of(scope, matrix, "matrix");
  const Tensor b = scope.convert_like(rhs, a, "rhs");
  if (!a.shape().has_rank() || a.shape().dim(-1) < 0 || a.shape().dim(-2) < 0) {
    throw ValueError("lstsq needs to know the last two sizes of its matrix.");
  }
  const bool tall = a.shape().dim(-2) >= a.shape().dim(-1);
  Tensor gramian = product(a, a, tall, !tall);
  if (options.l2_regularizer != 0) gramian = gramian + options.l2_regularizer * identity_like(gramian);
  const Tensor chol = apply_op({.op = "Cholesky", .args = {gramian}});
  if (tall) return cholesky_solve(chol, product(a, b, true));
  return product(a, cholesky_solve(chol, b), true);
}

namespace {

/// The three diagonals, each [..., m].
std::array<Tensor, 3> diagonals_of(Composite& scope, const List<Input>& diagonals,
                                   const TridiagonalOptions& options) {
  const std::string& format = options.diagonals_format;
  if (format == "sequence") {
    if (diagonals.size() != 3) throw ValueError("Expected diagonals to be a sequence of length 3.");
    std::array<Tensor, 3> result;
    for (size_t i = 0; i < 3; ++i) result.at(i) = scope.convert(diagonals[i], "diagonals");
    return result;
  }
  if (format != "compact" && format != "matrix") {
    throw ValueError(fmt::format(
        "Expected diagonals_format to be one of 'compact', 'sequence', 'matrix', got {}", format));
  }
  if (diagonals.size() != 1) throw ValueError("Expected diagonals to be one tensor in this format.");
  const Tensor all = scope.convert(diagonals[0], "diagonals");
  if (format == "compact") {
    return {all[{ellipsis, 0, Slice{}}], all[{ellipsis, 1, Slice{}}], all[{ellipsis, 2, Slice{}}]};
  }
  const Tensor main = diagonal_part(all, 0);
  const Tensor nothing = zeros_like(main[{ellipsis, Slice{{}, 1}}]);
  return {concat({diagonal_part(all, 1), nothing}, -1), main, concat({nothing, diagonal_part(all, -1)}, -1)};
}

const Input& first_of(const List<Input>& diagonals) {
  if (diagonals.size() == 0) throw ValueError("Expected diagonals to be a sequence of length 3.");
  return diagonals[0];
}

}  // namespace

Tensor tridiagonal_matmul(const List<Input>& diagonals, const Input& rhs, const TridiagonalOptions& options) {
  Composite scope({{"diagonals", first_of(diagonals)}, {"rhs", rhs}}, options.name, "tridiagonal_matmul",
                  rhs.where());
  const auto [above, main, below] = diagonals_of(scope, diagonals, options);
  const Tensor x = scope.convert_like(rhs, main, "rhs");
  const auto columns = [](const Tensor& diagonal) { return expand_dims(diagonal, -1); };
  const Tensor nothing = zeros_like(x[{ellipsis, Slice{{}, 1}, Slice{}}]);
  const Tensor next = concat({x[{ellipsis, Slice{1, {}}, Slice{}}], nothing}, -2);
  const Tensor last = concat({nothing, x[{ellipsis, Slice{{}, -1}, Slice{}}]}, -2);
  return columns(main) * x + columns(above) * next + columns(below) * last;
}

Tensor tridiagonal_solve(const List<Input>& diagonals, const Input& rhs, const TridiagonalOptions& options) {
  Composite scope({{"diagonals", first_of(diagonals)}, {"rhs", rhs}}, options.name, "tridiagonal_solve",
                  rhs.where());
  const auto [above, main, below] = diagonals_of(scope, diagonals, options);
  const Tensor b = scope.convert_like(rhs, main, "rhs");
  if (!main.shape().has_rank() || !b.shape().has_rank()) {
    throw ValueError("Expected diagonals and rhs of a known rank.");
  }
  const auto beside = [](const Tensor& diagonal, int k) {
    const Slice kept = k > 0 ? Slice{{}, -1} : Slice{1, {}};
    return apply_op(
        {.op = "MatrixDiagV3", .name = "diag", .args = {diagonal[{ellipsis, kept}], k, -1, -1, 0}});
  };
  const Tensor whole = diagonal_matrix(main) + beside(above, 1) + beside(below, -1);
  const bool is_vector = b.shape().rank() == main.shape().rank();
  const Tensor x = apply_op({.op = "MatrixSolve", .args = {whole, is_vector ? expand_dims(b, -1) : b}});
  return is_vector ? squeeze(x, {-1}) : x;
}

// ---- factors

LuFactors lu(const Input& input, const LuOptions& options) {
  const CallScope call({{"input", input}});
  graph::Node* node = apply_op_node({.op = "Lu",
                                     .name = options.name,
                                     .args = {input},
                                     .attrs = {{"output_idx_type", options.output_idx_type}}});
  return {Tensor(node, 0), Tensor(node, 1)};
}

namespace {

/// The rows of each matrix in another order.
Tensor reordered(const Tensor& matrix, const Tensor& order) {
  const int64_t rank = order.shape().has_rank() ? order.shape().rank() : matrix.shape().rank() - 1;
  return gather(matrix, order, {.batch_dims = rank - 1});
}

}  // namespace

Tensor lu_solve(const Input& lower_upper, const Input& perm, const Input& rhs, const NameOption& options) {
  Composite scope({{"lower_upper", lower_upper}, {"perm", perm}, {"rhs", rhs}}, options.name, "lu_solve",
                  lower_upper.where());
  const Tensor factors = matrix_of(scope, lower_upper, "lower_upper");
  const Tensor order = scope.convert(perm, "perm", DType::kInt32);
  const Tensor b = reordered(scope.convert_like(rhs, factors, "rhs"), order);
  const Tensor lower = with_diagonal(factors, ones_like(diagonal_part(factors, 0)));
  const auto solve = [](const Tensor& triangle, const Tensor& right, bool is_lower) {
    return apply_op({.op = "MatrixTriangularSolve",
                     .args = {triangle, right},
                     .attrs = {{"adjoint", false}, {"lower", is_lower}}});
  };
  return solve(factors, solve(lower, b, true), false);
}

Tensor lu_reconstruct(const Input& lower_upper, const Input& perm, const NameOption& options) {
  Composite scope({{"lower_upper", lower_upper}, {"perm", perm}}, options.name, "lu_reconstruct",
                  lower_upper.where());
  const Tensor factors = matrix_of(scope, lower_upper, "lower_upper");
  const Tensor order = scope.convert(perm, "perm", DType::kInt32);
  const Tensor lower = with_diagonal(band(factors, -1, 0), ones_like(diagonal_part(factors, 0)));
  return reordered(product(lower, band(factors, 0, -1)), argsort(order));
}

Tensor lu_matrix_inverse(const Input& lower_upper, const Input& perm, const NameOption& options) {
  Composite scope({{"lower_upper", lower_upper}, {"perm", perm}}, options.name, "lu_matrix_inverse",
                  lower_upper.where());
  const Tensor factors = matrix_of(scope, lower_upper, "lower_upper");
  return lu_solve(factors, perm, identity_like(factors));
}

}  // namespace flowray::tf::linalg
