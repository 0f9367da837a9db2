#pragma once
/// Svd, by Eigen. Compiled for each element type by decompositions_*.cpp.

#include "ops/matrix/decompositions.h"

#include <Eigen/SVD>
#include <algorithm>

namespace flowray::ops {

template <class T>
void Decompositions<T>::svd(graph::DynamicCall& call) {
  const Matrices<T> in(call, 0);
  const bool vectors = call.attrs().get<bool>("compute_uv");
  const bool full = call.attrs().get<bool>("full_matrices");
  const int64_t rank = std::min(in.rows(), in.columns());
  MatrixOutput<T> s(in.batch(), rank, 1);
  MatrixOutput<T> u(vectors ? in.batch() : Shape{0}, in.rows(), full ? in.rows() : rank);
  MatrixOutput<T> v(vectors ? in.batch() : Shape{0}, in.columns(), full ? in.columns() : rank);
  const unsigned options = !vectors ? 0u
                           : full   ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                    : Eigen::ComputeThinU | Eigen::ComputeThinV;
  for (int64_t i = 0; i < in.count() && rank > 0; ++i) {
    const std::conditional_t<kIsComplex<T>, Eigen::JacobiSVD<Matrix<T>>, Eigen::BDCSVD<Matrix<T>>> found(
        in[i], options);
    s[i] = found.singularValues().template cast<T>();
    if (!vectors) continue;
    u[i] = found.matrixU();
    v[i] = found.matrixV();
  }
  call.set_out(0, s.array(in.batch().concatenate(Shape{rank})));
  call.set_out(1, vectors ? u.array() : Array(kDTypeOf<T>, {0}));
  call.set_out(2, vectors ? v.array() : Array(kDTypeOf<T>, {0}));
}

}  // namespace flowray::ops
