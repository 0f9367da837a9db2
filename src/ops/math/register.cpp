#include "ops/math/register.h"

namespace flowray::ops {

void register_math_family(graph::OpTable& table) {
  register_add_n_ops(table);
  register_bessel_function_ops(table);
  register_bitwise_ops(table);
  register_broadcast_ops(table);
  register_cast_ops(table);
  register_comparison_ops(table);
  register_complex_number_ops(table);
  register_fourier_ops(table);
  register_math_binary_ops(table);
  register_math_unary_ops(table);
  register_select_ops(table);
  register_special_function_ops(table);
}

}  // namespace flowray::ops
