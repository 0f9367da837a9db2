#pragma once
/// LU factors, exponentials and logarithms of matrices.
/// Compiled for each element type by decompositions_*.cpp.

#include "ops/matrix/decompositions.h"

#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include <limits>

namespace flowray::ops {

template <class T>
void Decompositions<T>::lu(graph::DynamicCall& call) {
  if (call.in(0).rank() < 2) {
    throw errors::InvalidArgumentError(
        fmt::format("Input tensor must have rank >= 2, got {}", call.in(0).rank()));
  }
  const Matrices<T> in(call, 0, /*square=*/true);
  const int64_t size = in.rows();
  MatrixOutput<T> factors(in.batch(), size, size);
  Array order(DType::kInt64, in.batch().concatenate(Shape{size}));
  for (int64_t i = 0; i < in.count() && size > 0; ++i) {
    const Eigen::PartialPivLU<Matrix<T>> found(in[i]);
    if (!(found.matrixLU().diagonal().cwiseAbs().minCoeff() > 0)) {
      throw errors::InvalidArgumentError("Input is not invertible.");
    }
    factors[i] = found.matrixLU();
    // Eigen's indices say where a row goes, the op's where it comes from.
    const auto& places = found.permutationP().indices();
    for (int64_t row = 0; row < size; ++row) {
      order.mutable_data<int64_t>()[i * size + places(row)] = row;
    }
  }
  call.set_out(0, factors.array());
  call.set_out(1, order.astype(call.attrs().get<DType>("output_idx_type")));
}

template <class T>
void Decompositions<T>::exponential(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  MatrixOutput<T> out(in.batch(), in.rows(), in.rows());
  for (int64_t i = 0; i < in.count() && in.rows() > 0; ++i) out[i] = Matrix<T>(in[i]).exp();
  call.set_out(0, out.array());
}

/// Whether the square roots that Eigen takes until it may use a series come to an end: never of what is not
/// finite or has no inverse.
template <class T>
bool has_logarithm(const Matrix<T>& matrix) {
  if (!matrix.allFinite()) return false;
  if (matrix.rows() <= 2) return true;  // by a formula
  const auto triangle = Eigen::ComplexSchur<Matrix<T>>(matrix, /*computeU=*/false).matrixT().eval();
  return triangle.allFinite() && triangle.diagonal().cwiseAbs().minCoeff() > 0;
}

template <class T>
void Decompositions<T>::logarithm(graph::DynamicCall& call)
  requires(kIsComplex<T>)
{
  const Matrices<T> in(call, 0, /*square=*/true);
  MatrixOutput<T> out(in.batch(), in.rows(), in.rows());
  for (int64_t i = 0; i < in.count() && in.rows() > 0; ++i) {
    const Matrix<T> matrix = in[i];
    if (has_logarithm(matrix)) {
      out[i] = matrix.log();
    } else {
      out[i].setConstant(std::numeric_limits<typename Eigen::NumTraits<T>::Real>::quiet_NaN());
    }
  }
  call.set_out(0, out.array());
}

}  // namespace flowray::ops
