#pragma once
/// Constants, shapes, data movement, gathering and scattering.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_array_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

void register_array_concat_ops(graph::OpTable& table);
void register_array_constant_ops(graph::OpTable& table);
/// Empty, DeepCopy.
void register_array_copy_ops(graph::OpTable& table);
void register_array_gather_ops(graph::OpTable& table);
void register_array_one_hot_ops(graph::OpTable& table);
void register_array_pad_ops(graph::OpTable& table);
void register_array_range_ops(graph::OpTable& table);
void register_array_reshape_ops(graph::OpTable& table);
void register_array_shape_ops(graph::OpTable& table);
void register_array_slice_ops(graph::OpTable& table);
void register_array_split_ops(graph::OpTable& table);
void register_array_strided_slice_ops(graph::OpTable& table);
void register_array_transpose_ops(graph::OpTable& table);
void register_array_where_ops(graph::OpTable& table);
/// Diag, DiagPart.
void register_diagonal_ops(graph::OpTable& table);
/// GatherNd, ResourceGather.
void register_gather_nd_ops(graph::OpTable& table);
/// ScatterNd, TensorScatterAdd, ..., ScatterNdAdd, ..., ResourceScatterNdAdd, ...
void register_scatter_nd_ops(graph::OpTable& table);
/// SpaceToBatchND, BatchToSpaceND, SpaceToDepth, DepthToSpace.
void register_space_to_batch_ops(graph::OpTable& table);
/// MirrorPad, MirrorPadGrad, ReverseSequence.
void register_mirror_ops(graph::OpTable& table);
/// Bitcast.
void register_bitcast_ops(graph::OpTable& table);
/// Roll.
void register_roll_ops(graph::OpTable& table);
/// DynamicPartition.
void register_dynamic_partition_ops(graph::OpTable& table);
/// DynamicStitch, ParallelDynamicStitch.
void register_dynamic_stitch_ops(graph::OpTable& table);
/// SparseToDense.
void register_sparse_to_dense_ops(graph::OpTable& table);
/// UnravelIndex.
void register_unravel_index_ops(graph::OpTable& table);

}  // namespace flowray::ops
