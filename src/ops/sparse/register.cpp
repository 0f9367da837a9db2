#include "ops/sparse/register.h"

namespace flowray::ops {

void register_sparse_family(graph::OpTable& table) {
  register_sparse_arithmetic_ops(table);
  register_sparse_arrangement_ops(table);
  register_sparse_reduction_ops(table);
  register_set_ops(table);
  register_ragged_ops(table);
  register_ctc_ops(table);
  register_sparse_cross_ops(table);
  register_edit_distance_ops(table);
  register_sparse_count_ops(table);
  register_sparse_bincount_ops(table);
  register_sparse_serialization_ops(table);
}

}  // namespace flowray::ops
