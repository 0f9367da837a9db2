#pragma once
/// Sparse and ragged tensors, and what gives them.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_sparse_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// SparseAdd, SparseSparseMaximum, SparseTensorDenseAdd, SparseDenseCwiseMul, SparseSoftmax, ...
void register_sparse_arithmetic_ops(graph::OpTable& table);
/// SparseReorder, SparseReshape, SparseConcat, SparseSplit, SparseSlice, SparseFillEmptyRows, ...
void register_sparse_arrangement_ops(graph::OpTable& table);
/// SparseReduceSum, SparseReduceMax, and those that give sparse tensors.
void register_sparse_reduction_ops(graph::OpTable& table);
/// RaggedRange, RaggedGather, RaggedTensorToTensor, RaggedTensorToSparse.
void register_ragged_ops(graph::OpTable& table);
/// CTCLoss, CTCGreedyDecoder, CTCBeamSearchDecoder.
void register_ctc_ops(graph::OpTable& table);
/// SparseCross, SparseCrossV2, SparseCrossHashed.
void register_sparse_cross_ops(graph::OpTable& table);
/// DenseToDenseSetOperation, DenseToSparseSetOperation, SparseToSparseSetOperation, SetSize.
void register_set_ops(graph::OpTable& table);
/// SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse, AddSparseToTensorsMap, ...
void register_sparse_serialization_ops(graph::OpTable& table);
/// DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput.
void register_sparse_count_ops(graph::OpTable& table);
/// SparseBincount, RaggedBincount.
void register_sparse_bincount_ops(graph::OpTable& table);
/// EditDistance.
void register_edit_distance_ops(graph::OpTable& table);

}  // namespace flowray::ops
