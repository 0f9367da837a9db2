#include "ops/math/math_ops.h"

namespace flowray::ops {

void register_math_ops(graph::OpTable& table) {
  register_math_unary_ops(table);
  register_math_binary_ops(table);
  register_comparison_ops(table);
  register_add_n_ops(table);
  register_select_ops(table);
  register_cast_ops(table);
  register_broadcast_ops(table);
  register_reduce_ops(table);
  register_argmax_ops(table);
  register_cumulative_ops(table);
  register_list_diff_ops(table);
  register_top_k_ops(table);
  register_unique_ops(table);
  register_bitwise_ops(table);
  register_special_function_ops(table);
  register_complex_number_ops(table);
  register_fourier_ops(table);
  register_sorted_bound_ops(table);
  register_bincount_ops(table);
}

}  // namespace flowray::ops
