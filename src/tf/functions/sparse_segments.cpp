#include <flowray/tf/math.h>

#include "tf/build/apply_op.h"

#include <string>

namespace flowray::tf {
namespace {

Tensor segments(std::string op, std::vector<OpArg> args, const SparseSegmentOptions& options) {
  if (options.num_segments.has_value()) {
    op += "WithNumSegments";
    args.emplace_back(*options.num_segments);
  }
  return apply_op({.op = op,
                   .name = options.name,
                   .args = std::move(args),
                   .attrs = {{"sparse_gradient", options.sparse_gradient}}});
}

}  // namespace

Tensor sparse_segment_sum(const Input& data, const Input& indices, const Input& segment_ids,
                          const SparseSegmentOptions& options) {
  return segments("SparseSegmentSum", {data, indices, segment_ids}, options);
}
Tensor sparse_segment_mean(const Input& data, const Input& indices, const Input& segment_ids,
                           const SparseSegmentOptions& options) {
  return segments("SparseSegmentMean", {data, indices, segment_ids}, options);
}
Tensor sparse_segment_sqrt_n(const Input& data, const Input& indices, const Input& segment_ids,
                             const SparseSegmentOptions& options) {
  return segments("SparseSegmentSqrtN", {data, indices, segment_ids}, options);
}

}  // namespace flowray::tf
