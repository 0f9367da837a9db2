#pragma once
/// Rows of a tensor put together by segments: tf.sparse_segment_sum and its siblings.

#include <flowray/tf/input.h>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct SparseSegmentOptions {
  std::string name = {};
  /// How many rows the result has; left out: one for each id up to the last.
  OptionalInput num_segments = {};
  /// Lets the gradient be of rows, not of the whole tensor.
  bool sparse_gradient = false;
};
/// The sums of the rows data[indices[i]] with the same segment_ids[i], which must not fall.
Tensor sparse_segment_sum(const Input& data, const Input& indices, const Input& segment_ids,
                          const SparseSegmentOptions& options = {});
/// Their means.
Tensor sparse_segment_mean(const Input& data, const Input& indices, const Input& segment_ids,
                           const SparseSegmentOptions& options = {});
/// Their sums divided by the square root of their number.
Tensor sparse_segment_sqrt_n(const Input& data, const Input& indices, const Input& segment_ids,
                             const SparseSegmentOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
