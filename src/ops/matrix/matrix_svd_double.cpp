// Svd of double.

#include "ops/matrix/matrix_svd_code.h"

namespace flowray::ops {

template void svd_of<double>(graph::DynamicCall& call);

}  // namespace flowray::ops
