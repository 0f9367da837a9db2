// Svd of float.

#include "ops/matrix/matrix_svd_code.h"

namespace flowray::ops {

template void svd_of<float>(graph::DynamicCall& call);

}  // namespace flowray::ops
