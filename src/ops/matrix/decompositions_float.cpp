// The decompositions of float.

#include "ops/matrix/matrix_eigenvalues_code.h"
#include "ops/matrix/matrix_factors_code.h"
#include "ops/matrix/matrix_functions_code.h"
#include "ops/matrix/matrix_solve_code.h"
#include "ops/matrix/matrix_svd_code.h"

namespace flowray::ops {

template struct Decompositions<float>;

}  // namespace flowray::ops
