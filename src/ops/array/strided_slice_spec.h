#pragma once
/// What x[begin:end:stride, ..., newaxis, i] means for an array of a given shape.

#include "graph/attributes.h"

#include <flowray/shape.h>

#include <array>
#include <cstdint>

namespace flowray::ops {

/// The attributes of StridedSlice: bit i speaks of the i-th index that was written.
struct SliceMasks {
  int64_t begin = 0;        // begin[i] was left out
  int64_t end = 0;          // end[i] was left out
  int64_t ellipsis = 0;     // "...", at most one
  int64_t new_axis = 0;     // newaxis
  int64_t shrink_axis = 0;  // a single index, which drops the dimension

  static SliceMasks of(const graph::Attrs& attrs);
};

/// The indices as written; null where they are not known yet.
struct SliceIndices {
  const int64_t* begin = nullptr;
  const int64_t* end = nullptr;
  const int64_t* strides = nullptr;
  int count = 0;
};

/// The indices spelled out for each dimension of the array. It allocates nothing, so that it can be made in
/// a run.
struct StridedSliceSpec {
  static constexpr int kMaxRank = 32;
  static constexpr int kNewAxis = -1;

  int rank = 0;                            // of the array
  std::array<int64_t, kMaxRank> begin{};   // of dimension i, in [-1, size]
  std::array<int64_t, kMaxRank> stride{};  // never 0
  std::array<int64_t, kMaxRank> size{};    // elements taken; -1: unknown
  int out_rank = 0;                        // of the result
  std::array<int, 2 * kMaxRank>
      out_dims{};  // for each dimension of the result the array's that it comes from, or kNewAxis

  /// Resolves indices for an array of shape `in`, of known rank; strides must be known, dimensions, begin
  /// and end need not. Throws InvalidArgumentError in TensorFlow's words ("slice index 4 of dimension 0 out
  /// of bounds.").
  StridedSliceSpec(const Shape& in, const SliceIndices& indices, const SliceMasks& masks);

  Shape output_shape() const;
};

}  // namespace flowray::ops
