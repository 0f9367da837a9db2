#pragma once
/// What is found by a matrix's LU factors: inverses, determinants, solutions. Compiled for each element type
/// by decompositions_*.cpp.

#include "ops/matrix/decompositions.h"

#include <Eigen/LU>
#include <cmath>

namespace flowray::ops {

template <class T>
void Decompositions<T>::inverse(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  const bool adjoint = call.attrs().get<bool>("adjoint");
  MatrixOutput<T> out(in.batch(), in.rows(), in.rows());
  for (int64_t i = 0; i < in.count() && in.rows() > 0; ++i) {
    const Matrix<T> matrix = adjoint ? Matrix<T>(in[i].adjoint()) : Matrix<T>(in[i]);
    const Eigen::PartialPivLU<Matrix<T>> found(matrix);
    if (!(found.matrixLU().diagonal().cwiseAbs().minCoeff() > 0)) {
      throw errors::InvalidArgumentError("Input is not invertible.");
    }
    out[i] = found.inverse();
  }
  call.set_out(0, out.array());
}

template <class T>
void Decompositions<T>::determinant(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  MatrixOutput<T> out(in.batch(), 1, 1);
  for (int64_t i = 0; i < in.count(); ++i)
    out[i](0, 0) = in.rows() == 0 ? T(1) : Matrix<T>(in[i]).determinant();
  call.set_out(0, out.array(in.batch()));
}

template <class T>
void Decompositions<T>::log_determinant(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  MatrixOutput<T> sign(in.batch(), 1, 1);
  MatrixOutput<T> logarithm(in.batch(), 1, 1);
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
}

template <class T>
void Decompositions<T>::solve(graph::DynamicCall& call) {
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
  MatrixOutput<T> out(rhs.batch(), rhs.rows(), rhs.columns());
  for (int64_t i = 0; i < matrix.count() && rhs.rows() > 0 && rhs.columns() > 0; ++i) {
    const Matrix<T> left = adjoint ? Matrix<T>(matrix[i].adjoint()) : Matrix<T>(matrix[i]);
    const Eigen::PartialPivLU<Matrix<T>> found(left);
    if (!(found.matrixLU().diagonal().cwiseAbs().minCoeff() > 0)) {
      throw errors::InvalidArgumentError("Input matrix is not invertible.");
    }
    out[i] = found.solve(rhs[i]);
  }
  call.set_out(0, out.array());
}

}  // namespace flowray::ops
