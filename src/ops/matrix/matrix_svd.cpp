// Svd, by Eigen; the real element types are in files of their own.

#include "ops/matrix/matrix_svd_code.h"

namespace flowray::ops {

void compute_svd(graph::DynamicCall& call) {
  for_matrix_dtype(call, [&]<class T>() { svd_of<T>(call); });
}

}  // namespace flowray::ops
