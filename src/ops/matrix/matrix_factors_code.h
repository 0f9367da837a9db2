#pragma once
/// Qr and Cholesky, by Eigen. Compiled for each element type by decompositions_*.cpp.

#include "ops/matrix/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <limits>

namespace flowray::ops {

template <class T>
void Decompositions<T>::qr(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0);
  const bool full = call.attrs().get<bool>("full_matrices");
  const int64_t inner = full ? in.rows() : std::min(in.rows(), in.columns());
  MatrixOutput<T> q(in.batch(), in.rows(), inner);
  MatrixOutput<T> r(in.batch(), inner, in.columns());
  for (int64_t i = 0; i < in.count() && q.array().size() + r.array().size() > 0; ++i) {
    const Eigen::HouseholderQR<Matrix<T>> found(in[i]);
    q[i] = found.householderQ() * Matrix<T>::Identity(in.rows(), inner);
    r[i] = found.matrixQR().topRows(inner).template triangularView<Eigen::Upper>();
  }
  call.set_out(0, q.array());
  call.set_out(1, r.array());
}

template <class T>
void Decompositions<T>::cholesky(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  MatrixOutput<T> out(in.batch(), in.rows(), in.rows());
  for (int64_t i = 0; i < in.count() && in.rows() > 0; ++i) {
    const Eigen::LLT<Matrix<T>> found(in[i]);
    if (found.info() != Eigen::Success) {  // no error in TensorFlow either
      out[i].template triangularView<Eigen::Lower>().setConstant(T(std::numeric_limits<double>::quiet_NaN()));
      continue;
    }
    out[i] = found.matrixL();
  }
  call.set_out(0, out.array());
}

/// With L the factor and G its gradient: what flows to the matrix is the symmetric part of
/// L^-T P L^-1, P being the lower triangle of L^T G with half of its diagonal. Source: Murray,
/// "Differentiation of the Cholesky decomposition" (2016), 3.1.
template <class T>
void Decompositions<T>::cholesky_grad(graph::DynamicCall& call)
  requires(!kIsComplex<T>)
{
  const Shape& shape = call.in(0).shape();
  if (shape.rank() < 2) {
    throw errors::InvalidArgumentError(
        fmt::format("Input tensor 0 must have rank >= 2, got {}", shape.rank()));
  }
  if (shape.rank() != call.in(1).rank())
    throw errors::InvalidArgumentError("All input tensors must have the same rank.");
  if (!(shape == call.in(1).shape()))
    throw errors::InvalidArgumentError("Inputs (L and grad) must have the same shape.");
  const Matrices<T> factors(call, 0, /*square=*/true);
  const Matrices<T> gradients(call, 1, /*square=*/true);
  MatrixOutput<T> out(factors.batch(), factors.rows(), factors.rows());
  for (int64_t i = 0; i < factors.count() && factors.rows() > 0; ++i) {
    const Matrix<T> factor = factors[i].template triangularView<Eigen::Lower>();
    const Matrix<T> gradient = gradients[i].template triangularView<Eigen::Lower>();
    Matrix<T> part = (factor.transpose() * gradient).template triangularView<Eigen::Lower>();
    part.diagonal() *= T(0.5);
    factor.template triangularView<Eigen::Lower>().transpose().solveInPlace(part);
    Matrix<T> turned = part.transpose();
    factor.template triangularView<Eigen::Lower>().transpose().solveInPlace(turned);
    out[i] = T(0.5) * (turned + turned.transpose());
  }
  call.set_out(0, out.array());
}

}  // namespace flowray::ops
