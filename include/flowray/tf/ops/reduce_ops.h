#pragma once
/// Functions of single ops: reductions and segments. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct AllOptions {
  bool keep_dims = false;
  /// Of the node; empty: "All".
  std::string name = {};
};
/// input:bool, reduction_indices:Tidx -> output:bool
inline Tensor All(const Input& input, const Input& reduction_indices, const AllOptions& options = {}) {
  const Operation op =
      internal::make("All", options.name, {input, reduction_indices}, {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

struct AnyOptions {
  bool keep_dims = false;
  /// Of the node; empty: "Any".
  std::string name = {};
};
/// input:bool, reduction_indices:Tidx -> output:bool
inline Tensor Any(const Input& input, const Input& reduction_indices, const AnyOptions& options = {}) {
  const Operation op =
      internal::make("Any", options.name, {input, reduction_indices}, {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

struct ArgMaxOptions {
  /// The dtype of `output`. One of int16, uint16, int32, int64.
  DType output_type = DType::kInt64;
  /// Of the node; empty: "ArgMax".
  std::string name = {};
};
/// input:T, dimension:Tidx -> output:output_type
inline Tensor ArgMax(const Input& input, const Input& dimension, const ArgMaxOptions& options = {}) {
  const Operation op =
      internal::make("ArgMax", options.name, {input, dimension}, {{"output_type", options.output_type}}, {});
  return internal::output(op, 0);
}

struct ArgMinOptions {
  /// The dtype of `output`. One of int32, int64.
  DType output_type = DType::kInt64;
  /// Of the node; empty: "ArgMin".
  std::string name = {};
};
/// input:T, dimension:Tidx -> output:output_type
inline Tensor ArgMin(const Input& input, const Input& dimension, const ArgMinOptions& options = {}) {
  const Operation op =
      internal::make("ArgMin", options.name, {input, dimension}, {{"output_type", options.output_type}}, {});
  return internal::output(op, 0);
}

/// arr:int32, size:int32, weights:T -> bins:T
inline Tensor Bincount(const Input& arr, const Input& size, const Input& weights,
                       const NameOption& options = {}) {
  const Operation op = internal::make("Bincount", options.name, {arr, size, weights}, {}, {});
  return internal::output(op, 0);
}

struct CumprodOptions {
  bool exclusive = false;
  bool reverse = false;
  /// Of the node; empty: "Cumprod".
  std::string name = {};
};
/// x:T, axis:Tidx -> out:T
inline Tensor Cumprod(const Input& x, const Input& axis, const CumprodOptions& options = {}) {
  const Operation op = internal::make("Cumprod", options.name, {x, axis},
                                      {{"exclusive", options.exclusive}, {"reverse", options.reverse}}, {});
  return internal::output(op, 0);
}

struct CumsumOptions {
  bool exclusive = false;
  bool reverse = false;
  /// Of the node; empty: "Cumsum".
  std::string name = {};
};
/// x:T, axis:Tidx -> out:T
inline Tensor Cumsum(const Input& x, const Input& axis, const CumsumOptions& options = {}) {
  const Operation op = internal::make("Cumsum", options.name, {x, axis},
                                      {{"exclusive", options.exclusive}, {"reverse", options.reverse}}, {});
  return internal::output(op, 0);
}

struct DenseBincountOptions {
  bool binary_output = false;
  /// Of the node; empty: "DenseBincount".
  std::string name = {};
};
/// input:Tidx, size:Tidx, weights:T -> output:T
inline Tensor DenseBincount(const Input& input, const Input& size, const Input& weights,
                            const DenseBincountOptions& options = {}) {
  const Operation op = internal::make("DenseBincount", options.name, {input, size, weights},
                                      {{"binary_output", options.binary_output}}, {});
  return internal::output(op, 0);
}

struct HistogramFixedWidthOptions {
  /// The dtype of `out`. One of int32, int64.
  DType dtype = DType::kInt32;
  /// Of the node; empty: "HistogramFixedWidth".
  std::string name = {};
};
/// values:T, value_range:T, nbins:int32 -> out:dtype
inline Tensor HistogramFixedWidth(const Input& values, const Input& value_range, const Input& nbins,
                                  const HistogramFixedWidthOptions& options = {}) {
  const Operation op = internal::make("HistogramFixedWidth", options.name, {values, value_range, nbins},
                                      {{"dtype", options.dtype}}, {});
  return internal::output(op, 0);
}

/// What ListDiff gives.
struct ListDiffResult {
  Tensor out;
  Tensor idx;
};
struct ListDiffOptions {
  /// The dtype of `idx`. One of int32, int64.
  DType out_idx = DType::kInt32;
  /// Of the node; empty: "ListDiff".
  std::string name = {};
};
/// x:T, y:T -> out:T, idx:out_idx
inline ListDiffResult ListDiff(const Input& x, const Input& y, const ListDiffOptions& options = {}) {
  const Operation op = internal::make("ListDiff", options.name, {x, y}, {{"out_idx", options.out_idx}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct LowerBoundOptions {
  /// The dtype of `output`. One of int32, int64.
  DType out_type = DType::kInt32;
  /// Of the node; empty: "LowerBound".
  std::string name = {};
};
/// sorted_inputs:T, values:T -> output:out_type
inline Tensor LowerBound(const Input& sorted_inputs, const Input& values,
                         const LowerBoundOptions& options = {}) {
  const Operation op = internal::make("LowerBound", options.name, {sorted_inputs, values},
                                      {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

struct MaxOptions {
  bool keep_dims = false;
  /// Of the node; empty: "Max".
  std::string name = {};
};
/// input:T, reduction_indices:Tidx -> output:T
inline Tensor Max(const Input& input, const Input& reduction_indices, const MaxOptions& options = {}) {
  const Operation op =
      internal::make("Max", options.name, {input, reduction_indices}, {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

struct MeanOptions {
  bool keep_dims = false;
  /// Of the node; empty: "Mean".
  std::string name = {};
};
/// input:T, reduction_indices:Tidx -> output:T
inline Tensor Mean(const Input& input, const Input& reduction_indices, const MeanOptions& options = {}) {
  const Operation op = internal::make("Mean", options.name, {input, reduction_indices},
                                      {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

struct MinOptions {
  bool keep_dims = false;
  /// Of the node; empty: "Min".
  std::string name = {};
};
/// input:T, reduction_indices:Tidx -> output:T
inline Tensor Min(const Input& input, const Input& reduction_indices, const MinOptions& options = {}) {
  const Operation op =
      internal::make("Min", options.name, {input, reduction_indices}, {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

struct NthElementOptions {
  bool reverse = false;
  /// Of the node; empty: "NthElement".
  std::string name = {};
};
/// input:T, n:int32 -> values:T
inline Tensor NthElement(const Input& input, const Input& n, const NthElementOptions& options = {}) {
  const Operation op =
      internal::make("NthElement", options.name, {input, n}, {{"reverse", options.reverse}}, {});
  return internal::output(op, 0);
}

struct ProdOptions {
  bool keep_dims = false;
  /// Of the node; empty: "Prod".
  std::string name = {};
};
/// input:T, reduction_indices:Tidx -> output:T
inline Tensor Prod(const Input& input, const Input& reduction_indices, const ProdOptions& options = {}) {
  const Operation op = internal::make("Prod", options.name, {input, reduction_indices},
                                      {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices -> output:T
inline Tensor SegmentMax(const Input& data, const Input& segment_ids, const NameOption& options = {}) {
  const Operation op = internal::make("SegmentMax", options.name, {data, segment_ids}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor SegmentMaxV2(const Input& data, const Input& segment_ids, const Input& num_segments,
                           const NameOption& options = {}) {
  const Operation op =
      internal::make("SegmentMaxV2", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices -> output:T
inline Tensor SegmentMean(const Input& data, const Input& segment_ids, const NameOption& options = {}) {
  const Operation op = internal::make("SegmentMean", options.name, {data, segment_ids}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices -> output:T
inline Tensor SegmentMin(const Input& data, const Input& segment_ids, const NameOption& options = {}) {
  const Operation op = internal::make("SegmentMin", options.name, {data, segment_ids}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor SegmentMinV2(const Input& data, const Input& segment_ids, const Input& num_segments,
                           const NameOption& options = {}) {
  const Operation op =
      internal::make("SegmentMinV2", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices -> output:T
inline Tensor SegmentProd(const Input& data, const Input& segment_ids, const NameOption& options = {}) {
  const Operation op = internal::make("SegmentProd", options.name, {data, segment_ids}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor SegmentProdV2(const Input& data, const Input& segment_ids, const Input& num_segments,
                            const NameOption& options = {}) {
  const Operation op =
      internal::make("SegmentProdV2", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices -> output:T
inline Tensor SegmentSum(const Input& data, const Input& segment_ids, const NameOption& options = {}) {
  const Operation op = internal::make("SegmentSum", options.name, {data, segment_ids}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor SegmentSumV2(const Input& data, const Input& segment_ids, const Input& num_segments,
                           const NameOption& options = {}) {
  const Operation op =
      internal::make("SegmentSumV2", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

struct SparseSegmentMeanOptions {
  bool sparse_gradient = false;
  /// Of the node; empty: "SparseSegmentMean".
  std::string name = {};
};
/// data:T, indices:Tidx, segment_ids:Tsegmentids -> output:T
inline Tensor SparseSegmentMean(const Input& data, const Input& indices, const Input& segment_ids,
                                const SparseSegmentMeanOptions& options = {}) {
  const Operation op = internal::make("SparseSegmentMean", options.name, {data, indices, segment_ids},
                                      {{"sparse_gradient", options.sparse_gradient}}, {});
  return internal::output(op, 0);
}

/// grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32 -> output:T
inline Tensor SparseSegmentMeanGrad(const Input& grad, const Input& indices, const Input& segment_ids,
                                    const Input& output_dim0, const NameOption& options = {}) {
  const Operation op = internal::make("SparseSegmentMeanGrad", options.name,
                                      {grad, indices, segment_ids, output_dim0}, {}, {});
  return internal::output(op, 0);
}

struct SparseSegmentMeanWithNumSegmentsOptions {
  bool sparse_gradient = false;
  /// Of the node; empty: "SparseSegmentMeanWithNumSegments".
  std::string name = {};
};
/// data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments -> output:T
inline Tensor SparseSegmentMeanWithNumSegments(const Input& data, const Input& indices,
                                               const Input& segment_ids, const Input& num_segments,
                                               const SparseSegmentMeanWithNumSegmentsOptions& options = {}) {
  const Operation op = internal::make("SparseSegmentMeanWithNumSegments", options.name,
                                      {data, indices, segment_ids, num_segments},
                                      {{"sparse_gradient", options.sparse_gradient}}, {});
  return internal::output(op, 0);
}

struct SparseSegmentSqrtNOptions {
  bool sparse_gradient = false;
  /// Of the node; empty: "SparseSegmentSqrtN".
  std::string name = {};
};
/// data:T, indices:Tidx, segment_ids:Tsegmentids -> output:T
inline Tensor SparseSegmentSqrtN(const Input& data, const Input& indices, const Input& segment_ids,
                                 const SparseSegmentSqrtNOptions& options = {}) {
  const Operation op = internal::make("SparseSegmentSqrtN", options.name, {data, indices, segment_ids},
                                      {{"sparse_gradient", options.sparse_gradient}}, {});
  return internal::output(op, 0);
}

/// grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32 -> output:T
inline Tensor SparseSegmentSqrtNGrad(const Input& grad, const Input& indices, const Input& segment_ids,
                                     const Input& output_dim0, const NameOption& options = {}) {
  const Operation op = internal::make("SparseSegmentSqrtNGrad", options.name,
                                      {grad, indices, segment_ids, output_dim0}, {}, {});
  return internal::output(op, 0);
}

struct SparseSegmentSqrtNWithNumSegmentsOptions {
  bool sparse_gradient = false;
  /// Of the node; empty: "SparseSegmentSqrtNWithNumSegments".
  std::string name = {};
};
/// data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments -> output:T
inline Tensor SparseSegmentSqrtNWithNumSegments(
    const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments,
    const SparseSegmentSqrtNWithNumSegmentsOptions& options = {}) {
  const Operation op = internal::make("SparseSegmentSqrtNWithNumSegments", options.name,
                                      {data, indices, segment_ids, num_segments},
                                      {{"sparse_gradient", options.sparse_gradient}}, {});
  return internal::output(op, 0);
}

struct SparseSegmentSumOptions {
  bool sparse_gradient = false;
  /// Of the node; empty: "SparseSegmentSum".
  std::string name = {};
};
/// data:T, indices:Tidx, segment_ids:Tsegmentids -> output:T
inline Tensor SparseSegmentSum(const Input& data, const Input& indices, const Input& segment_ids,
                               const SparseSegmentSumOptions& options = {}) {
  const Operation op = internal::make("SparseSegmentSum", options.name, {data, indices, segment_ids},
                                      {{"sparse_gradient", options.sparse_gradient}}, {});
  return internal::output(op, 0);
}

/// grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32 -> output:T
inline Tensor SparseSegmentSumGrad(const Input& grad, const Input& indices, const Input& segment_ids,
                                   const Input& output_dim0, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseSegmentSumGrad", options.name, {grad, indices, segment_ids, output_dim0}, {}, {});
  return internal::output(op, 0);
}

struct SparseSegmentSumWithNumSegmentsOptions {
  bool sparse_gradient = false;
  /// Of the node; empty: "SparseSegmentSumWithNumSegments".
  std::string name = {};
};
/// data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments -> output:T
inline Tensor SparseSegmentSumWithNumSegments(const Input& data, const Input& indices,
                                              const Input& segment_ids, const Input& num_segments,
                                              const SparseSegmentSumWithNumSegmentsOptions& options = {}) {
  const Operation op = internal::make("SparseSegmentSumWithNumSegments", options.name,
                                      {data, indices, segment_ids, num_segments},
                                      {{"sparse_gradient", options.sparse_gradient}}, {});
  return internal::output(op, 0);
}

struct SumOptions {
  bool keep_dims = false;
  /// Of the node; empty: "Sum".
  std::string name = {};
};
/// input:T, reduction_indices:Tidx -> output:T
inline Tensor Sum(const Input& input, const Input& reduction_indices, const SumOptions& options = {}) {
  const Operation op =
      internal::make("Sum", options.name, {input, reduction_indices}, {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

/// What TopK gives.
struct TopKResult {
  Tensor values;
  Tensor indices;
};
struct TopKOptions {
  bool sorted = true;
  /// Of the node; empty: "TopK".
  std::string name = {};
};
/// input:T -> values:T, indices:int32
/// `k`: at least 0.
inline TopKResult TopK(const Input& input, int64_t k, const TopKOptions& options = {}) {
  const Operation op =
      internal::make("TopK", options.name, {input}, {{"k", k}, {"sorted", options.sorted}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What TopKV2 gives.
struct TopKV2Result {
  Tensor values;
  Tensor indices;
};
struct TopKV2Options {
  bool sorted = true;
  /// The dtype of `indices`. One of int16, int32, int64.
  DType index_type = DType::kInt32;
  /// Of the node; empty: "TopKV2".
  std::string name = {};
};
/// input:T, k:Tk -> values:T, indices:index_type
inline TopKV2Result TopKV2(const Input& input, const Input& k, const TopKV2Options& options = {}) {
  const Operation op = internal::make("TopKV2", options.name, {input, k},
                                      {{"sorted", options.sorted}, {"index_type", options.index_type}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What Unique gives.
struct UniqueResult {
  Tensor y;
  Tensor idx;
};
struct UniqueOptions {
  /// The dtype of `idx`. One of int32, int64.
  DType out_idx = DType::kInt32;
  /// Of the node; empty: "Unique".
  std::string name = {};
};
/// x:T -> y:T, idx:out_idx
inline UniqueResult Unique(const Input& x, const UniqueOptions& options = {}) {
  const Operation op = internal::make("Unique", options.name, {x}, {{"out_idx", options.out_idx}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What UniqueV2 gives.
struct UniqueV2Result {
  Tensor y;
  Tensor idx;
};
struct UniqueV2Options {
  /// The dtype of `idx`. One of int32, int64.
  DType out_idx = DType::kInt32;
  /// Of the node; empty: "UniqueV2".
  std::string name = {};
};
/// x:T, axis:Taxis -> y:T, idx:out_idx
inline UniqueV2Result UniqueV2(const Input& x, const Input& axis, const UniqueV2Options& options = {}) {
  const Operation op =
      internal::make("UniqueV2", options.name, {x, axis}, {{"out_idx", options.out_idx}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What UniqueWithCounts gives.
struct UniqueWithCountsResult {
  Tensor y;
  Tensor idx;
  Tensor count;
};
struct UniqueWithCountsOptions {
  /// The dtype of `idx` and `count`. One of int32, int64.
  DType out_idx = DType::kInt32;
  /// Of the node; empty: "UniqueWithCounts".
  std::string name = {};
};
/// x:T -> y:T, idx:out_idx, count:out_idx
inline UniqueWithCountsResult UniqueWithCounts(const Input& x, const UniqueWithCountsOptions& options = {}) {
  const Operation op =
      internal::make("UniqueWithCounts", options.name, {x}, {{"out_idx", options.out_idx}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What UniqueWithCountsV2 gives.
struct UniqueWithCountsV2Result {
  Tensor y;
  Tensor idx;
  Tensor count;
};
struct UniqueWithCountsV2Options {
  /// The dtype of `idx` and `count`. One of int32, int64.
  DType out_idx = DType::kInt32;
  /// Of the node; empty: "UniqueWithCountsV2".
  std::string name = {};
};
/// x:T, axis:Taxis -> y:T, idx:out_idx, count:out_idx
inline UniqueWithCountsV2Result UniqueWithCountsV2(const Input& x, const Input& axis,
                                                   const UniqueWithCountsV2Options& options = {}) {
  const Operation op =
      internal::make("UniqueWithCountsV2", options.name, {x, axis}, {{"out_idx", options.out_idx}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor UnsortedSegmentMax(const Input& data, const Input& segment_ids, const Input& num_segments,
                                 const NameOption& options = {}) {
  const Operation op =
      internal::make("UnsortedSegmentMax", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor UnsortedSegmentMin(const Input& data, const Input& segment_ids, const Input& num_segments,
                                 const NameOption& options = {}) {
  const Operation op =
      internal::make("UnsortedSegmentMin", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor UnsortedSegmentProd(const Input& data, const Input& segment_ids, const Input& num_segments,
                                  const NameOption& options = {}) {
  const Operation op =
      internal::make("UnsortedSegmentProd", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

/// data:T, segment_ids:Tindices, num_segments:Tnumsegments -> output:T
inline Tensor UnsortedSegmentSum(const Input& data, const Input& segment_ids, const Input& num_segments,
                                 const NameOption& options = {}) {
  const Operation op =
      internal::make("UnsortedSegmentSum", options.name, {data, segment_ids, num_segments}, {}, {});
  return internal::output(op, 0);
}

struct UpperBoundOptions {
  /// The dtype of `output`. One of int32, int64.
  DType out_type = DType::kInt32;
  /// Of the node; empty: "UpperBound".
  std::string name = {};
};
/// sorted_inputs:T, values:T -> output:out_type
inline Tensor UpperBound(const Input& sorted_inputs, const Input& values,
                         const UpperBoundOptions& options = {}) {
  const Operation op = internal::make("UpperBound", options.name, {sorted_inputs, values},
                                      {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
