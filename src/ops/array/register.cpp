#include "ops/array/register.h"

namespace flowray::ops {

void register_array_family(graph::OpTable& table) {
  register_array_concat_ops(table);
  register_array_constant_ops(table);
  register_array_copy_ops(table);
  register_array_gather_ops(table);
  register_array_one_hot_ops(table);
  register_array_pad_ops(table);
  register_array_range_ops(table);
  register_array_reshape_ops(table);
  register_array_shape_ops(table);
  register_array_slice_ops(table);
  register_array_split_ops(table);
  register_array_strided_slice_ops(table);
  register_array_transpose_ops(table);
  register_array_where_ops(table);
  register_diagonal_ops(table);
  register_gather_nd_ops(table);
  register_scatter_nd_ops(table);
  register_space_to_batch_ops(table);
  register_mirror_ops(table);
  register_bitcast_ops(table);
  register_roll_ops(table);
  register_dynamic_partition_ops(table);
  register_dynamic_stitch_ops(table);
  register_sparse_to_dense_ops(table);
  register_unravel_index_ops(table);
}

}  // namespace flowray::ops
