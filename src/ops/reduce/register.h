#pragma once
/// Reductions, segments, sorting, counting and searching.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_reduce_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// ArgMax, ArgMin.
void register_argmax_ops(graph::OpTable& table);
/// Cumsum, Cumprod.
void register_cumulative_ops(graph::OpTable& table);
/// ListDiff.
void register_list_diff_ops(graph::OpTable& table);
/// Sum, Mean, Prod, Max, Min, All, Any.
void register_reduce_ops(graph::OpTable& table);
/// SegmentSum, ..., UnsortedSegmentSum, ...
void register_segment_ops(graph::OpTable& table);
/// LowerBound, UpperBound.
void register_sorted_bound_ops(graph::OpTable& table);
/// SparseSegmentSum, ..., their gradients.
void register_sparse_segment_ops(graph::OpTable& table);
/// TopKV2.
void register_top_k_ops(graph::OpTable& table);
/// Unique, UniqueWithCounts.
void register_unique_ops(graph::OpTable& table);
/// Bincount, DenseBincount, NthElement.
void register_bincount_ops(graph::OpTable& table);
/// HistogramFixedWidth.
void register_histogram_ops(graph::OpTable& table);

}  // namespace flowray::ops
