#pragma once
/// SelfAdjointEigV2 and its first version, by Eigen. Compiled for each element type by decompositions_*.cpp.

#include "ops/matrix/decompositions.h"

#include <Eigen/Eigenvalues>

namespace flowray::ops {

template <class T>
void Decompositions<T>::eigenvalues(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  const bool vectors = call.attrs().get<bool>("compute_v");
  MatrixOutput<T> values(in.batch(), in.rows(), 1);
  MatrixOutput<T> found_vectors(vectors ? in.batch() : Shape{0}, in.rows(), in.rows());
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
}

template <class T>
void Decompositions<T>::stacked_eigenvalues(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0, /*square=*/true);
  MatrixOutput<T> found(in.batch(), in.rows() + 1, in.rows());
  for (int64_t i = 0; i < in.count() && in.rows() > 0; ++i) {
    const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(in[i]);
    if (solver.info() != Eigen::Success) {
      throw errors::InvalidArgumentError(
          "Self Adjoint Eigen decomposition was not successful. The input might not be valid.");
    }
    auto out = found[i];
    out.row(0) = solver.eigenvalues().template cast<T>();
    out.bottomRows(in.rows()) = solver.eigenvectors();
  }
  call.set_out(0, found.array());
}

}  // namespace flowray::ops
