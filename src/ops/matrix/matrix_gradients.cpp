#include "ops/matrix/matrix_gradients.h"

#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

namespace flowray::ops {

using graph::Builder;
using graph::Endpoint;
using graph::GradientContext;
using graph::NameScope;

namespace {

Endpoint diagonal_number(Builder& g) { return g.constant(Array(int32_t{0}), "k"); }

/// array_ops.matrix_diag(diagonal).
Endpoint matrix_of_diagonal(Builder& g, Endpoint diagonal) {
  const NameScope scope(g.graph(), "diag");
  const Endpoint k = diagonal_number(g);
  const Endpoint rows = g.constant(Array(int32_t{-1}), "num_rows");
  const Endpoint columns = g.constant(Array(int32_t{-1}), "num_cols");
  const Endpoint padding = python_number(g, 0, diagonal.dtype(), "padding_value");
  return g.op("MatrixDiagV3", {diagonal, k, rows, columns, padding}, {}, scope.path());
}

/// array_ops.matrix_diag_part(x).
Endpoint diagonal_of(Builder& g, Endpoint x) {
  const NameScope scope(g.graph(), "diag_part");
  const Endpoint k = diagonal_number(g);
  const Endpoint padding = python_number(g, 0, x.dtype(), "padding_value");
  return g.op("MatrixDiagPartV3", {x, k, padding}, {}, scope.path());
}

/// array_ops.matrix_set_diag(x, diagonal).
Endpoint with_diagonal(Builder& g, Endpoint x, Endpoint diagonal) {
  const NameScope scope(g.graph(), "set_diag");
  return g.op("MatrixSetDiagV3", {x, diagonal, diagonal_number(g)}, {}, scope.path());
}

Endpoint with_half_the_diagonal(Builder& g, Endpoint x) {
  return with_diagonal(g, x, python_with_left(g, "Mul", 0.5, diagonal_of(g, x), "mul"));
}

/// The axes in order, but for the last two; of an unknown number of them while building.
Endpoint swapped_axes(Builder& g, const Shape& shape, Endpoint x) {
  if (!shape.has_rank()) {
    const Endpoint rank = python_rank_of(g, x);
    const Endpoint outer = python_range(g, 0, python_with_number(g, "Sub", rank, 2, "sub"));
    const Endpoint last = python_with_number(g, "Sub", rank, 1, "sub");
    return python_concat_lists(g, {outer, {last, python_with_number(g, "Sub", rank, 2, "sub")}}, 0);
  }
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < shape.rank() - 2; ++i) axes.push_back(i);
  axes.push_back(shape.rank() - 1);
  axes.push_back(shape.rank() - 2);
  return python_integers(g, axes, DType::kInt32, "perm");
}

/// array_ops.matrix_transpose(x, conjugate=True).
Endpoint conjugate_transpose(Builder& g, Endpoint x) {
  const NameScope scope(g.graph(), "matrix_transpose");
  const NameScope transpose(g.graph(), "transpose");
  const Endpoint axes = swapped_axes(g, x.shape(), x);
  const bool conjugates = is_complex(base_dtype(x.dtype()));
  return g.op(conjugates ? "ConjugateTranspose" : "Transpose", {x, axes}, {}, transpose.path());
}

/// linalg.adjoint(x).
Endpoint adjoint(Builder& g, Endpoint x) {
  const NameScope scope(g.graph(), "adjoint");
  return conjugate_transpose(g, x);
}

/// linalg_ops.eye(rows, batch_shape, dtype).
Endpoint identities(Builder& g, Endpoint rows, Endpoint batch, DType dtype) {
  const NameScope scope(g.graph(), "eye");
  const Endpoint size = g.op("Minimum", {rows, rows});
  const Endpoint shape = python_concat_lists(g, {batch, {size}}, 0);
  Endpoint ones;
  {
    const NameScope ones_scope(g.graph(), "ones");
    ones = g.op("Fill", {shape, python_number(g, 1, dtype)}, {}, ones_scope.path());
  }
  return matrix_of_diagonal(g, ones);
}

/// `factors`, one for each matrix, times the adjoint of the inverse.
Endpoint times_inverse(GradientContext& g, Endpoint inverse, Endpoint factors, Endpoint like) {
  const Endpoint shape = python_concat_lists(g, {python_shape(g, like), {1, 1}}, 0);
  return g.op("Mul", {g.op("Reshape", {factors, shape}), inverse}, {}, "mul");
}

/// x / (x * x), which is zero for zero.
Endpoint safe_reciprocal(Builder& g, Endpoint x) {
  const Endpoint square = python_with_right(g, "AddV2", g.op("Mul", {x, x}, {}, "mul"), 1e-20, "add");
  return g.op("Mul", {x, g.op("Reciprocal", {square})}, {}, "mul");
}

}  // namespace

Endpoint python_matmul(Builder& g, Endpoint a, Endpoint b, Adjoints adjoints) {
  if (a.shape().rank() != 2 || b.shape().rank() != 2 || !a.shape().has_rank() || !b.shape().has_rank()) {
    return g.op("BatchMatMulV2", {a, b}, {{"adj_x", adjoints.a}, {"adj_y", adjoints.b}}, "MatMul");
  }
  const NameScope scope(g.graph(), "MatMul");
  const bool conjugates = is_complex(base_dtype(a.dtype()));
  if (adjoints.a && conjugates) a = g.op("Conj", {a});
  if (adjoints.b && conjugates) b = g.op("Conj", {b});
  return g.op("MatMul", {a, b}, {{"transpose_a", adjoints.a}, {"transpose_b", adjoints.b}}, scope.path());
}

Endpoint python_band_part(Builder& g, Endpoint x, int32_t lower, int32_t upper) {
  const NameScope scope(g.graph(), "MatrixBandPart");
  const Endpoint num_lower = g.constant(Array(lower), "num_lower");
  const Endpoint num_upper = g.constant(Array(upper), "num_upper");
  return g.op("MatrixBandPart", {x, num_lower, num_upper}, {}, scope.path());
}

std::vector<Endpoint> inverse_gradient(GradientContext& g) {
  const bool adjoint = g.attrs().get<bool>("adjoint");
  const Endpoint inner = python_matmul(g, g.grad(), g.output(0), {.a = adjoint, .b = !adjoint});
  return {g.op("Neg", {python_matmul(g, g.output(0), inner, {.a = !adjoint})})};
}

std::vector<Endpoint> determinant_gradient(GradientContext& g) {
  const Endpoint inverse = g.op("MatrixInverse", {g.input(0)}, {{"adjoint", true}});
  const Endpoint factors = g.op("Mul", {g.grad(), g.output(0)}, {}, "mul");
  return {times_inverse(g, inverse, factors, g.output(0))};
}

std::vector<Endpoint> log_determinant_gradient(GradientContext& g) {
  const Endpoint inverse = g.op("MatrixInverse", {g.input(0)}, {{"adjoint", true}});
  return {times_inverse(g, inverse, g.grad(1), g.output(1))};
}

std::vector<Endpoint> matrix_solve_gradient(GradientContext& g) {
  const bool adjoint = g.attrs().get<bool>("adjoint");
  const Endpoint of_rhs = g.op("MatrixSolve", {g.input(0), g.grad()}, {{"adjoint", !adjoint}});
  const Endpoint product = adjoint ? python_matmul(g, g.output(0), of_rhs, {.b = true})
                                   : python_matmul(g, of_rhs, g.output(0), {.b = true});
  return {g.op("Neg", {product}), of_rhs};
}

std::vector<Endpoint> cholesky_gradient(GradientContext& g) {
  constexpr int32_t kBatchEnd = -2;
  const Endpoint factor = g.output(0);
  const Endpoint rows = python_element(g, python_shape(g, factor), -1);
  const Endpoint batch = python_slice(g, python_shape(g, factor), nullptr, &kBatchEnd);
  const Endpoint identity = identities(g, rows, batch, base_dtype(factor.dtype()));
  Endpoint inverse;
  {
    const NameScope scope(g.graph(), "triangular_solve");
    inverse = g.op("MatrixTriangularSolve", {factor, identity}, {{"lower", true}, {"adjoint", false}});
  }
  Endpoint middle = with_half_the_diagonal(g, python_matmul(g, factor, g.grad(), {.a = true}));
  middle = python_band_part(g, middle, -1, 0);
  const Endpoint whole = python_matmul(g, python_matmul(g, inverse, middle, {.a = true}), inverse);
  const Endpoint sum = g.op("AddV2", {whole, adjoint(g, whole)}, {}, "add");
  return {python_with_right(g, "Mul", sum, 0.5, "mul")};
}

namespace {

struct QrParts {
  Endpoint q, r;
};

/// x times the adjoint of the inverse of r, an upper triangle.
Endpoint times_inverse_of_triangle(Builder& g, Endpoint x, Endpoint r) {
  const Endpoint turned = adjoint(g, x);
  Endpoint solved;
  {
    const NameScope scope(g.graph(), "triangular_solve");
    solved = g.op("MatrixTriangularSolve", {r, turned}, {{"lower", false}, {"adjoint", false}});
  }
  return adjoint(g, solved);
}

/// A term for complex matrices: the diagonal of r is real, so its gradient has no imaginary part there.
Endpoint complex_correction(Builder& g, const QrParts& parts, Endpoint rdr, Endpoint qdq) {
  const Endpoint m = g.op("Sub", {rdr, adjoint(g, qdq)}, {}, "sub");
  const Endpoint zeros = python_zeros_like(g, m);
  const Endpoint diagonal = with_diagonal(g, zeros, diagonal_of(g, m));
  const DType dtype = base_dtype(parts.q.dtype());
  const DType real = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  const Endpoint reals = python_cast(g, g.op("Real", {diagonal}, {{"Tout", real}}), dtype);
  const Endpoint correction = adjoint(g, g.op("Sub", {diagonal, reals}, {}, "sub"));
  return times_inverse_of_triangle(g, python_matmul(g, parts.q, correction), parts.r);
}

/// The gradient of QR of a matrix with at least as many rows as columns (arXiv 2009.10071).
Endpoint tall_qr_gradient(Builder& g, const QrParts& parts, const QrParts& grads) {
  const auto [q, r] = parts;
  const Endpoint qdq = python_matmul(g, q, grads.q, {.a = true});
  const Endpoint skew_q = g.op("Sub", {qdq, adjoint(g, qdq)}, {}, "sub");
  const Endpoint rdr = python_matmul(g, r, grads.r, {.b = true});
  const Endpoint skew_r = g.op("Sub", {rdr, adjoint(g, rdr)}, {}, "sub");
  const Endpoint lower = python_band_part(g, g.op("AddV2", {skew_q, skew_r}, {}, "add"), -1, 0);
  const Endpoint inner = g.op("AddV2", {grads.r, times_inverse_of_triangle(g, lower, r)}, {}, "add");
  const Endpoint inside = python_matmul(g, q, inner);
  const Endpoint rest = g.op("Sub", {grads.q, python_matmul(g, q, qdq)}, {}, "sub");
  const Endpoint sum = g.op("AddV2", {inside, times_inverse_of_triangle(g, rest, r)}, {}, "add");
  if (!is_complex(base_dtype(q.dtype()))) return sum;
  return g.op("AddV2", {sum, complex_correction(g, parts, rdr, qdq)}, {}, "add");
}

/// x[..., :, begin:end].
Endpoint columns_between(Builder& g, Endpoint x, int64_t first, int64_t last) {
  const NameScope scope(g.graph(), "strided_slice");
  const Endpoint begin = python_integers(g, {0, 0, first}, DType::kInt32, "stack");
  const Endpoint end = python_integers(g, {0, 0, last}, DType::kInt32, "stack_1");
  const Endpoint strides = python_integers(g, {1, 1, 1}, DType::kInt32, "stack_2");
  return g.op("StridedSlice", {x, begin, end, strides},
              {{"ellipsis_mask", int64_t{1}}, {"begin_mask", int64_t{2}}, {"end_mask", int64_t{2}}},
              scope.path());
}

/// x[..., :, column:], or x[..., :, :column].
Endpoint columns_of(Builder& g, Endpoint x, int64_t column, bool is_rest) {
  const NameScope scope(g.graph(), "strided_slice");
  const Endpoint begin = python_integers(g, {0, 0, is_rest ? column : 0}, DType::kInt32, "stack");
  const Endpoint end = python_integers(g, {0, 0, is_rest ? 0 : column}, DType::kInt32, "stack_1");
  const Endpoint strides = python_integers(g, {1, 1, 1}, DType::kInt32, "stack_2");
  return g.op("StridedSlice", {x, begin, end, strides},
              {{"ellipsis_mask", int64_t{1}},
               {"begin_mask", int64_t{is_rest ? 2 : 6}},
               {"end_mask", int64_t{is_rest ? 6 : 2}}},
              scope.path());
}

void check_qr_shapes(const Shape& q, const Shape& r) {
  if (!r.has_rank() || r.dim(-2) < 0 || r.dim(-1) < 0 || q.dim(-2) < 0) {
    throw errors::UnimplementedError("QrGrad not implemented with dynamic shapes. Received r.shape: " +
                                     r.to_string() + "; give the matrix a known number of rows and columns");
  }
  if (r.dim(-2) > r.dim(-1) && q.dim(-2) == q.dim(-1)) {
    throw errors::UnimplementedError(
        "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape=" +
        r.to_string() + "; decompose it with full_matrices = false");
  }
}

}  // namespace

std::vector<Endpoint> qr_gradient(GradientContext& g) {
  const QrParts parts{g.output(0), g.output(1)};
  const QrParts grads{g.grad(0), g.grad(1)};
  check_qr_shapes(parts.q.shape(), parts.r.shape());
  const int64_t rows = parts.q.shape().dim(-2);
  if (rows >= parts.r.shape().dim(-1)) return {tall_qr_gradient(g, parts, grads)};
  // A wide one is [x, y] with r = [u, v]: x is square, and y = q v.
  const Endpoint y = columns_of(g, g.input(0), rows, /*is_rest=*/true);
  const Endpoint u = columns_of(g, parts.r, rows, /*is_rest=*/false);
  const Endpoint dv = columns_of(g, grads.r, rows, /*is_rest=*/true);
  const Endpoint du = columns_of(g, grads.r, rows, /*is_rest=*/false);
  const Endpoint dy = python_matmul(g, parts.q, dv);
  const Endpoint dq = g.op("AddV2", {grads.q, python_matmul(g, y, dv, {.b = true})}, {}, "add");
  const Endpoint dx = tall_qr_gradient(g, {parts.q, u}, {dq, du});
  return {python_concat_lists(g, {dx, dy}, -1)};
}

namespace {

/// A decomposition u s v^H of a matrix with no more rows than columns, and the gradients of u and v; `v1` are
/// the first columns of v, as many as u has.
struct SvdParts {
  Endpoint s, u, v, du, dv;
  int64_t rows = 0;
  int64_t columns = 0;
  bool is_full = false;
};

/// What changes of v outside of the space of v1 add.
Endpoint outer_term(Builder& g, const SvdParts& parts, Endpoint v1, Endpoint dv1, Endpoint inverse) {
  const Endpoint turned = conjugate_transpose(g, dv1);
  const Endpoint inside = python_matmul(g, python_matmul(g, turned, v1), v1, {.b = true});
  Endpoint outside = g.op("Sub", {turned, inside}, {}, "sub");
  if (parts.is_full) {
    const auto rest_of = [&](Endpoint x) { return columns_between(g, x, parts.rows, parts.columns); };
    const Endpoint v2 = rest_of(parts.v);
    const Endpoint dv2 = rest_of(parts.dv);
    const Endpoint product = python_matmul(g, python_matmul(g, v1, dv2, {.a = true}), v2, {.b = true});
    outside = g.op("Sub", {outside, product}, {}, "sub");
  }
  return python_matmul(g, python_matmul(g, parts.u, inverse), outside);
}

/// Singular vectors may turn their phase together: complex numbers alone have that.
Endpoint phase_term(Builder& g, const SvdParts& parts, Endpoint shape, Endpoint v_dv, Endpoint v1,
                    Endpoint inverse) {
  constexpr int32_t kBatchEnd = -1;
  const Endpoint rows = python_element(g, shape, -1);
  const Endpoint batch = python_slice(g, shape, nullptr, &kBatchEnd);
  const Endpoint identity = identities(g, rows, batch, base_dtype(parts.u.dtype()));
  const Endpoint diagonal = g.op("Mul", {identity, v_dv}, {}, "mul");
  const Endpoint difference = g.op("Sub", {adjoint(g, diagonal), diagonal}, {}, "sub");
  const Endpoint inner = python_matmul(g, inverse, difference);
  const Endpoint whole = python_matmul(g, parts.u, python_matmul(g, inner, v1, {.b = true}));
  return python_with_left(g, "Mul", 0.5, whole, "mul");
}

Endpoint wide_svd_gradient(Builder& g, const SvdParts& parts, Endpoint ds) {
  const auto [s, u, v, du, dv, rows, columns, is_full] = parts;
  const Endpoint values = matrix_of_diagonal(g, s);
  const Endpoint squares = g.op("Square", {s});
  const Endpoint shape = python_shape(g, s);
  const Endpoint in_columns = python_expand_dims(g, squares, -2);
  const Endpoint gaps = g.op("Sub", {in_columns, python_expand_dims(g, squares, -1)}, {}, "sub");
  const Endpoint reciprocals = safe_reciprocal(g, gaps);
  const Endpoint shares = with_diagonal(g, reciprocals, python_zeros_like(g, s));
  const Endpoint inverse = matrix_of_diagonal(g, safe_reciprocal(g, s));
  const Endpoint v1 = columns_of(g, v, rows, /*is_rest=*/false);
  const Endpoint dv1 = columns_of(g, dv, rows, /*is_rest=*/false);
  const Endpoint u_du = python_matmul(g, u, du, {.a = true});
  const Endpoint v_dv = python_matmul(g, v1, dv1, {.a = true});
  const Endpoint of_u = g.op("Mul", {shares, u_du}, {}, "mul");
  const Endpoint of_v = g.op("Mul", {shares, v_dv}, {}, "mul");
  const Endpoint twice_u = g.op("AddV2", {of_u, adjoint(g, of_u)}, {}, "add");
  const Endpoint with_u = g.op("AddV2", {ds, python_matmul(g, twice_u, values)}, {}, "add");
  const Endpoint twice_v = g.op("AddV2", {of_v, adjoint(g, of_v)}, {}, "add");
  const Endpoint inner = g.op("AddV2", {with_u, python_matmul(g, values, twice_v)}, {}, "add");
  Endpoint sum = python_matmul(g, u, python_matmul(g, inner, v1, {.b = true}));
  const auto add = [&](Endpoint term) { sum = g.op("AddV2", {sum, term}, {}, "add"); };
  if (rows != columns) add(outer_term(g, parts, v1, dv1, inverse));
  if (is_complex(base_dtype(u.dtype()))) add(phase_term(g, parts, shape, v_dv, v1, inverse));
  return sum;
}

/// The gradient where only singular values were asked for: it computes the vectors.
Endpoint singular_values_gradient(GradientContext& g, Endpoint ds) {
  const std::vector<Endpoint> parts = python_outputs(g, "Svd", {g.input(0)}, {{"compute_uv", true}});
  const DType dtype = base_dtype(g.input(0).dtype());
  if (is_complex(dtype)) {  // as linalg_ops.svd; its value is not read
    g.op("Real", {parts[0]}, {{"Tout", dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64}});
  }
  return python_matmul(g, parts[1], python_matmul(g, ds, parts[2], {.b = true}));
}

}  // namespace

std::vector<Endpoint> svd_gradient(GradientContext& g) {
  const Endpoint ds = matrix_of_diagonal(g, g.grad(0));
  if (!g.attrs().get<bool>("compute_uv")) return {singular_values_gradient(g, ds)};
  const Shape& shape = g.input(0).shape();
  if (!shape.has_rank() || shape.dim(-2) < 0 || shape.dim(-1) < 0) {
    throw errors::UnimplementedError(
        "SVD gradient has not been implemented for input with unknown inner matrix shape. Received " +
        shape.to_string() + "; give the matrix a known number of rows and columns");
  }
  SvdParts parts{.s = g.output(0),
                 .u = g.output(1),
                 .v = g.output(2),
                 .du = g.grad(1),
                 .dv = g.grad(2),
                 .rows = shape.dim(-2),
                 .columns = shape.dim(-1),
                 .is_full = g.attrs().get<bool>("full_matrices")};
  const bool is_tall = parts.rows > parts.columns;
  if (is_tall) {  // its adjoint is wide
    std::swap(parts.rows, parts.columns);
    std::swap(parts.u, parts.v);
    std::swap(parts.du, parts.dv);
  }
  if (parts.is_full && parts.columns - parts.rows > 1) {
    throw errors::UnimplementedError(fmt::format(
        "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received: "
        "m={} and n={}; decompose it with full_matrices = false",
        parts.rows, parts.columns));
  }
  const WaitFor values_gradient(g.graph(), g.grad(0));
  const WaitFor left_gradient(g.graph(), g.grad(1));
  const WaitFor right_gradient(g.graph(), g.grad(2));
  const Endpoint grad = wide_svd_gradient(g, parts, ds);
  return {is_tall ? conjugate_transpose(g, grad) : grad};
}

std::vector<Endpoint> eigenvalues_gradient(GradientContext& g) {
  const WaitFor values_gradient(g.graph(), g.grad(0));
  const WaitFor vectors_gradient(g.graph(), g.grad(1));
  Endpoint vectors = g.output(1);
  Endpoint inner;
  if (g.attrs().get<bool>("compute_v")) {
    const Endpoint values = g.output(0);
    const Endpoint columns = python_expand_dims(g, values, -2);
    const Endpoint gaps = g.op("Sub", {columns, python_expand_dims(g, values, -1)}, {}, "sub");
    const Endpoint reciprocals = safe_reciprocal(g, gaps);
    const Endpoint shares = with_diagonal(g, reciprocals, python_zeros_like(g, values));
    const Endpoint diagonal = matrix_of_diagonal(g, g.grad(0));
    const Endpoint turned = python_matmul(g, vectors, g.grad(1), {.a = true});
    inner = g.op("AddV2", {diagonal, g.op("Mul", {shares, turned}, {}, "mul")}, {}, "add");
  } else {
    vectors = python_outputs(g, "SelfAdjointEigV2", {g.input(0)}, {{"compute_v", true}})[1];
    inner = matrix_of_diagonal(g, g.grad(0));
  }
  const Endpoint whole = python_matmul(g, vectors, python_matmul(g, inner, vectors, {.b = true}));
  const Endpoint sum = g.op("AddV2", {whole, adjoint(g, whole)}, {}, "add");
  return {with_half_the_diagonal(g, python_band_part(g, sum, -1, 0))};
}

}  // namespace flowray::ops
