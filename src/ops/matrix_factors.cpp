// Qr and Cholesky, by Eigen.

#include "ops/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <limits>

namespace flowray::ops {

using graph::DynamicCall;

void compute_qr(DynamicCall& call) {
  for_matrix_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0);
    const bool full = call.attrs().get<bool>("full_matrices");
    const int64_t inner = full ? in.rows() : std::min(in.rows(), in.columns());
    MatrixOutput<T> q(in.batch(), in.rows(), inner);
    MatrixOutput<T> r(in.batch(), inner, in.columns());
    for (int64_t i = 0; i < in.count(); ++i) {
      const Eigen::HouseholderQR<Matrix<T>> found(in[i]);
      q[i] = found.householderQ() * Matrix<T>::Identity(in.rows(), inner);
      r[i] = found.matrixQR().topRows(inner).template triangularView<Eigen::Upper>();
    }
    call.set_out(0, q.array());
    call.set_out(1, r.array());
  });
}

void compute_cholesky(DynamicCall& call) {
  for_matrix_dtype(call, [&]<class T>() {
    const Matrices<T> in(call, 0, /*square=*/true);
    MatrixOutput<T> out(in.batch(), in.rows(), in.rows());
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

}  // namespace flowray::ops
