// Decompositions and solutions of matrices, by Eigen: the last two dimensions are a matrix, those before a
// batch of them.

#include "core/dtype_dispatch.h"
#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/element_types.h"
#include "ops/matrix_ops.h"
#include "ops/shape_merging.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>
#include <complex>
#include <limits>

namespace flowray::ops {

using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstMap = Eigen::Map<const Matrix<T>>;

Shape batch_of(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank()) - 2));
}

Shape with_matrix(const Shape& batch, int64_t rows, int64_t columns) {
  return batch.concatenate(Shape{rows, columns});
}

/// The matrices of an input. Throws InvalidArgumentError where it has none, and where they are not square but
/// should be.
template <class T>
class Matrices {
 public:
  Matrices(const DynamicCall& call, int i, bool square = false) : array_(call.in(i)) {
    if (array_.rank() < 2) {
      throw errors::InvalidArgumentError(
          fmt::format("Input tensor {} must have rank >= 2, got {}", i, array_.rank()));
    }
    if (square && rows() != columns()) throw errors::InvalidArgumentError("Input matrix must be square.");
  }

  int64_t rows() const { return array_.dim(-2); }
  int64_t columns() const { return array_.dim(-1); }
  Shape batch() const { return batch_of(array_.shape()); }
  int64_t count() const { return batch().num_elements(); }
  ConstMap<T> operator[](int64_t i) const {
    return ConstMap<T>(array_.data<T>() + i * rows() * columns(), rows(), columns());
  }

 private:
  const Array& array_;
};

/// An output of matrices, or of a vector or number each.
template <class T>
class Output {
 public:
  Output(const Shape& batch, int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), array_(kDTypeOf<T>, with_matrix(batch, rows, columns)) {}

  Eigen::Map<Matrix<T>> operator[](int64_t i) {
    return Eigen::Map<Matrix<T>>(array_.mutable_data<T>() + i * rows_ * columns_, rows_, columns_);
  }
  Array array(const Shape& shape) const { return array_.reshape(shape); }
  const Array& array() const { return array_; }

 private:
  int64_t rows_;
  int64_t columns_;
  Array array_;
};

/// run<T>() for the dtype of input 0.
template <class Run>
void for_dtype(const DynamicCall& call, Run run) {
  using Types = TypeList<float, double, std::complex<double>>;
  if (dispatch<Types>(call.in(0).dtype(), run)) return;
  throw errors::UnimplementedError(fmt::format("There is no kernel for {}", dtype_name(call.in(0).dtype())));
}

/// `compute`, where a complex64 is a complex128, and a float16 a float if there are kernels of it: Eigen's
/// decompositions are large, and rare for these.
template <graph::ComputeFunction compute, bool kHalf = false>
void widened(DynamicCall& call) {
  const DType dtype = call.in(0).dtype();
  const bool is_half = kHalf && dtype == DType::kFloat16;
  if (!is_half && dtype != DType::kComplex64) return compute(call);
  const DType wide_dtype = is_half ? DType::kFloat32 : DType::kComplex128;
  std::vector<Array> inputs;
  for (int i = 0; i < call.num_inputs(); ++i) inputs.push_back(call.in(i).astype(wide_dtype));
  std::array<Array, 3> outputs;
  DynamicCall wide(call.attrs(), inputs, outputs, call.parallel());
  compute(wide);
  for (int i = 0; i < 3; ++i) {
    const Array& output = outputs[static_cast<size_t>(i)];
    if (output.has_value()) call.set_out(i, output.astype(dtype));
  }
}

// ---- shapes

int64_t smaller(int64_t a, int64_t b) { return a < 0 || b < 0 ? Shape::kUnknownDim : std::min(a, b); }

/// Square matrices; the output is like the input.
void square_shape(ShapeContext& context) {
  Shape shape = context.with_rank_at_least(0, 2);
  if (shape.has_rank()) {
    const int64_t size = ShapeContext::merge_dim(shape.dim(-1), shape.dim(-2));
    shape.set_dim(-1, size);
    shape.set_dim(-2, size);
  }
  context.set_output(0, shape);
}

void determinant_shape(ShapeContext& context) {
  square_shape(context);
  for (int i = 0; i < context.num_outputs() && context.input(0).has_rank(); ++i)
    context.set_output(i, batch_of(context.input(0)));
}

void solve_shape(ShapeContext& context) {
  const Shape matrix = context.with_rank_at_least(0, 2);
  const Shape rhs = context.with_rank_at_least(1, 2);
  if (!matrix.has_rank() || !rhs.has_rank()) return;
  const int64_t rows =
      ShapeContext::merge_dim(ShapeContext::merge_dim(matrix.dim(-1), matrix.dim(-2)), rhs.dim(-2));
  context.set_output(0, with_matrix(merge_shapes(batch_of(matrix), batch_of(rhs)), rows, rhs.dim(-1)));
}

void qr_shape(ShapeContext& context) {
  const Shape shape = context.with_rank_at_least(0, 2);
  if (!shape.has_rank()) return;
  const bool full = context.attrs().get<bool>("full_matrices");
  const int64_t inner = full ? shape.dim(-2) : smaller(shape.dim(-2), shape.dim(-1));
  context.set_output(0, with_matrix(batch_of(shape), shape.dim(-2), inner));
  context.set_output(1, with_matrix(batch_of(shape), inner, shape.dim(-1)));
}

void eigenvalues_shape(ShapeContext& context) {
  square_shape(context);
  const Shape shape = context.outputs()[0];
  if (!shape.has_rank()) return;
  const bool vectors = context.attrs().get<bool>("compute_v");
  context.set_output(0, batch_of(shape).concatenate(Shape{shape.dim(-1)}));
  context.set_output(1, vectors ? shape : Shape{0});
}

void svd_shape(ShapeContext& context) {
  const Shape shape = context.with_rank_at_least(0, 2);
  if (!shape.has_rank()) return;
  const int64_t rank = smaller(shape.dim(-2), shape.dim(-1));
  context.set_output(0, batch_of(shape).concatenate(Shape{rank}));
  if (!context.attrs().get<bool>("compute_uv")) {
    context.set_output(1, Shape{0});
    return context.set_output(2, Shape{0});
  }
  const bool full = context.attrs().get<bool>("full_matrices");
  context.set_output(1, with_matrix(batch_of(shape), shape.dim(-2), full ? shape.dim(-2) : rank));
  context.set_output(2, with_matrix(batch_of(shape), shape.dim(-1), full ? shape.dim(-1) : rank));
}

// ---- kernels

void qr(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0);
    const bool full = call.attrs().get<bool>("full_matrices");
    const int64_t inner = full ? in.rows() : std::min(in.rows(), in.columns());
    Output<T> q(in.batch(), in.rows(), inner);
    Output<T> r(in.batch(), inner, in.columns());
    for (int64_t i = 0; i < in.count(); ++i) {
      const Eigen::HouseholderQR<Matrix<T>> found(in[i]);
      q[i] = found.householderQ() * Matrix<T>::Identity(in.rows(), inner);
      r[i] = found.matrixQR().topRows(inner).template triangularView<Eigen::Upper>();
    }
    call.set_out(0, q.array());
    call.set_out(1, r.array());
  });
}

void cholesky(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0, /*square=*/true);
    Output<T> out(in.batch(), in.rows(), in.rows());
    for (int64_t i = 0; i < in.count(); ++i) {
      const Eigen::LLT<Matrix<T>> found(in[i]);
      if (found.info() != Eigen::Success) {  // no error in TensorFlow either
        out[i].template triangularView<Eigen::Lower>().setConstant(
            T(std::numeric_limits<double>::quiet_NaN()));
        continue;
      }
      out[i] = found.matrixL();
    }
    call.set_out(0, out.array());
  });
}

void inverse(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0, /*square=*/true);
    const bool adjoint = call.attrs().get<bool>("adjoint");
    Output<T> out(in.batch(), in.rows(), in.rows());
    for (int64_t i = 0; i < in.count(); ++i) {
      const Matrix<T> matrix = adjoint ? Matrix<T>(in[i].adjoint()) : Matrix<T>(in[i]);
      const Eigen::PartialPivLU<Matrix<T>> found(matrix);
      if (in.rows() > 0 && !(found.matrixLU().diagonal().cwiseAbs().minCoeff() > 0)) {
        throw errors::InvalidArgumentError("Input is not invertible.");
      }
      out[i] = found.inverse();
    }
    call.set_out(0, out.array());
  });
}

void determinant(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0, /*square=*/true);
    Output<T> out(in.batch(), 1, 1);
    for (int64_t i = 0; i < in.count(); ++i)
      out[i](0, 0) = in.rows() == 0 ? T(1) : Matrix<T>(in[i]).determinant();
    call.set_out(0, out.array(in.batch()));
  });
}

void log_determinant(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0, /*square=*/true);
    Output<T> sign(in.batch(), 1, 1);
    Output<T> logarithm(in.batch(), 1, 1);
    for (int64_t i = 0; i < in.count(); ++i) {
      T of_sign(1);
      T sum(0);
      if (in.rows() > 0) {
        const Eigen::PartialPivLU<Matrix<T>> found(in[i]);
        of_sign = T(found.permutationP().determinant());
        for (int64_t k = 0; k < in.rows(); ++k) {
          const T pivot = found.matrixLU()(k, k);
          const auto size = std::abs(pivot);
          of_sign *= size > 0 ? pivot / size : T(0);
          sum += T(std::log(size));
        }
      }
      sign[i](0, 0) = of_sign;
      logarithm[i](0, 0) = sum;
    }
    call.set_out(0, sign.array(in.batch()));
    call.set_out(1, logarithm.array(in.batch()));
  });
}

void solve(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> matrix(call, 0);
    if (call.in(0).rank() != call.in(1).rank()) {
      throw errors::InvalidArgumentError("All input tensors must have the same rank.");
    }
    const Matrices<T> rhs(call, 1);
    if (!(matrix.batch() == rhs.batch())) {
      throw errors::InvalidArgumentError("All input tensors must have the same outer dimensions.");
    }
    if (matrix.rows() != matrix.columns()) {
      throw errors::InvalidArgumentError("First input (lhs) must be a square matrix.");
    }
    if (matrix.rows() != rhs.rows()) {
      throw errors::InvalidArgumentError("Input matrix and rhs are incompatible.");
    }
    const bool adjoint = call.attrs().get<bool>("adjoint");
    Output<T> out(rhs.batch(), rhs.rows(), rhs.columns());
    for (int64_t i = 0; i < matrix.count(); ++i) {
      const Matrix<T> left = adjoint ? Matrix<T>(matrix[i].adjoint()) : Matrix<T>(matrix[i]);
      const Eigen::PartialPivLU<Matrix<T>> found(left);
      if (left.rows() > 0 && !(found.matrixLU().diagonal().cwiseAbs().minCoeff() > 0)) {
        throw errors::InvalidArgumentError("Input matrix is not invertible.");
      }
      out[i] = found.solve(rhs[i]);
    }
    call.set_out(0, out.array());
  });
}

void eigenvalues(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0, /*square=*/true);
    const bool vectors = call.attrs().get<bool>("compute_v");
    Output<T> values(in.batch(), in.rows(), 1);
    Output<T> found_vectors(vectors ? in.batch() : Shape{0}, in.rows(), in.rows());
    for (int64_t i = 0; i < in.count() && in.rows() > 0; ++i) {
      const Eigen::SelfAdjointEigenSolver<Matrix<T>> found(
          in[i], vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
      if (found.info() != Eigen::Success) {
        throw errors::InvalidArgumentError(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid.");
      }
      values[i] = found.eigenvalues().template cast<T>();
      if (vectors) found_vectors[i] = found.eigenvectors();
    }
    call.set_out(0, values.array(in.batch().concatenate(Shape{in.rows()})));
    call.set_out(1, vectors ? found_vectors.array() : Array(kDTypeOf<T>, {0}));
  });
}

void svd(DynamicCall& call) {
  for_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0);
    const bool vectors = call.attrs().get<bool>("compute_uv");
    const bool full = call.attrs().get<bool>("full_matrices");
    const int64_t rank = std::min(in.rows(), in.columns());
    Output<T> s(in.batch(), rank, 1);
    Output<T> u(vectors ? in.batch() : Shape{0}, in.rows(), full ? in.rows() : rank);
    Output<T> v(vectors ? in.batch() : Shape{0}, in.columns(), full ? in.columns() : rank);
    const unsigned options = !vectors ? 0u
                             : full   ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                      : Eigen::ComputeThinU | Eigen::ComputeThinV;
    for (int64_t i = 0; i < in.count() && rank > 0; ++i) {
      // Dynamic column-major: thin vectors are not there for others.
      using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
      const std::conditional_t<kIsComplex<T>, Eigen::JacobiSVD<Columns>, Eigen::BDCSVD<Columns>> found(
          in[i], options);
      s[i] = found.singularValues().template cast<T>();
      if (!vectors) continue;
      u[i] = found.matrixU();
      v[i] = found.matrixV();
    }
    call.set_out(0, s.array(in.batch().concatenate(Shape{rank})));
    call.set_out(1, vectors ? u.array() : Array(kDTypeOf<T>, {0}));
    call.set_out(2, vectors ? v.array() : Array(kDTypeOf<T>, {0}));
  });
}

#define FLOWRAY_MATRIX_TYPES "T:type{[float64,float32,float16,complex64,complex128]}"

}  // namespace

void register_linear_algebra_ops(OpTable& table) {
  table.add({.name = "Qr",
             .inputs = "input:T",
             .outputs = "q:T, r:T",
             .attrs = "full_matrices:bool=false; " FLOWRAY_MATRIX_TYPES,
             .shape = qr_shape,
             .compute = widened<qr, true>});
  table.add({.name = "Cholesky",
             .inputs = "input:T",
             .outputs = "output:T",
             .attrs = FLOWRAY_MATRIX_TYPES,
             .shape = square_shape,
             .compute = widened<cholesky>});
  table.add({.name = "MatrixInverse",
             .inputs = "input:T",
             .outputs = "output:T",
             .attrs = "adjoint:bool=false; " FLOWRAY_MATRIX_TYPES,
             .shape = square_shape,
             .compute = widened<inverse, true>});
  table.add({.name = "MatrixDeterminant",
             .inputs = "input:T",
             .outputs = "output:T",
             .attrs = FLOWRAY_MATRIX_TYPES,
             .shape = determinant_shape,
             .compute = widened<determinant>});
  table.add({.name = "LogMatrixDeterminant",
             .inputs = "input:T",
             .outputs = "sign:T, log_abs_determinant:T",
             .attrs = "T:type{[float16,float32,float64,complex64,complex128]}",
             .shape = determinant_shape,
             .compute = widened<log_determinant>});
  table.add({.name = "MatrixSolve",
             .inputs = "matrix:T, rhs:T",
             .outputs = "output:T",
             .attrs = "adjoint:bool=false; " FLOWRAY_MATRIX_TYPES,
             .shape = solve_shape,
             .compute = widened<solve>});
  table.add({.name = "SelfAdjointEigV2",
             .inputs = "input:T",
             .outputs = "e:T, v:T",
             .attrs = "compute_v:bool=true; " FLOWRAY_MATRIX_TYPES,
             .shape = eigenvalues_shape,
             .compute = widened<eigenvalues>});
  table.add({.name = "Svd",
             .inputs = "input:T",
             .outputs = "s:T, u:T, v:T",
             .attrs = "compute_uv:bool=true; full_matrices:bool=false; " FLOWRAY_MATRIX_TYPES,
             .shape = svd_shape,
             .compute = widened<svd>});
  register_triangular_solve_ops(table);
  register_matrix_diagonal_ops(table);
  register_einsum_ops(table);
}

}  // namespace flowray::ops
