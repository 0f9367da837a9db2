#include "ops/reduce/register.h"

namespace flowray::ops {

void register_reduce_family(graph::OpTable& table) {
  register_argmax_ops(table);
  register_cumulative_ops(table);
  register_list_diff_ops(table);
  register_reduce_ops(table);
  register_segment_ops(table);
  register_sorted_bound_ops(table);
  register_sparse_segment_ops(table);
  register_top_k_ops(table);
  register_unique_ops(table);
  register_bincount_ops(table);
  register_histogram_ops(table);
}

}  // namespace flowray::ops
