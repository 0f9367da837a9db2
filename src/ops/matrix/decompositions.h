#pragma once
/// What Eigen finds of matrices: the last two dimensions of an input are a matrix,
/// those before a batch of them.

#include "graph/kernel/kernel.h"
#include "ops/loops/is_complex.h"
#include "ops/matrix/batch_shape.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <complex>

namespace flowray::ops {

// Kernels for float, double and complex128 (the gradient of Cholesky for float and double);
// InvalidArgumentError for inputs that are not matrices, or not square where they should be, and for what the
// decomposition is not there of.
void compute_qr(graph::DynamicCall& call);
void compute_cholesky(graph::DynamicCall& call);
void compute_cholesky_grad(graph::DynamicCall& call);
void compute_inverse(graph::DynamicCall& call);
void compute_determinant(graph::DynamicCall& call);
void compute_log_determinant(graph::DynamicCall& call);
void compute_solve(graph::DynamicCall& call);
void compute_eigenvalues(graph::DynamicCall& call);
/// The values as a row above the vectors.
void compute_stacked_eigenvalues(graph::DynamicCall& call);
void compute_svd(graph::DynamicCall& call);
void compute_lu(graph::DynamicCall& call);
void compute_exponential(graph::DynamicCall& call);
/// Of complex128 only.
void compute_logarithm(graph::DynamicCall& call);

/// The same for one element type. Each type has a source of its own (decompositions_*.cpp), for Eigen takes
/// long to compile and what the decompositions of a type share is compiled once.
template <class T>
struct Decompositions {
  // matrix_factors_code.h
  static void qr(graph::DynamicCall& call);
  static void cholesky(graph::DynamicCall& call);
  static void cholesky_grad(graph::DynamicCall& call)
    requires(!kIsComplex<T>);
  // matrix_solve_code.h
  static void inverse(graph::DynamicCall& call);
  static void determinant(graph::DynamicCall& call);
  static void log_determinant(graph::DynamicCall& call);
  static void solve(graph::DynamicCall& call);
  // matrix_eigenvalues_code.h
  static void eigenvalues(graph::DynamicCall& call);
  static void stacked_eigenvalues(graph::DynamicCall& call);
  // matrix_svd_code.h
  static void svd(graph::DynamicCall& call);
  // matrix_functions_code.h
  static void lu(graph::DynamicCall& call);
  static void exponential(graph::DynamicCall& call);
  static void logarithm(graph::DynamicCall& call)
    requires(kIsComplex<T>);
};

inline Shape with_matrix(const Shape& batch, int64_t rows, int64_t columns) {
  return batch.concatenate(Shape{rows, columns});
}

/// Matrices are computed by columns, unlike arrays, and copied in and out: Eigen has the thin vectors of an
/// SVD for no other order, and its shared code is compiled for this order only.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using RowMajorMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstMatrix = Eigen::Map<const RowMajorMatrix<T>>;

/// The matrices of an input. Throws InvalidArgumentError where it has none, and where they are not square but
/// should be.
template <class T>
class Matrices {
 public:
  Matrices(const graph::DynamicCall& call, int i, bool square = false) : array_(call.in(i)) {
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
  ConstMatrix<T> operator[](int64_t i) const {
    return ConstMatrix<T>(array_.data<T>() + i * rows() * columns(), rows(), columns());
  }

 private:
  const Array& array_;
};

/// An output of matrices, or of a vector or number each.
template <class T>
class MatrixOutput {
 public:
  MatrixOutput(const Shape& batch, int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), array_(kDTypeOf<T>, with_matrix(batch, rows, columns)) {}

  Eigen::Map<RowMajorMatrix<T>> operator[](int64_t i) {
    return Eigen::Map<RowMajorMatrix<T>>(array_.mutable_data<T>() + i * rows_ * columns_, rows_, columns_);
  }
  Array array(const Shape& shape) const { return array_.reshape(shape); }
  const Array& array() const { return array_; }

 private:
  int64_t rows_;
  int64_t columns_;
  Array array_;
};

}  // namespace flowray::ops
