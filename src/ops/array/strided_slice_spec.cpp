#include "ops/array/strided_slice_spec.h"

#include "core/invalid_argument.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

bool has_bit(int64_t mask, int bit) { return ((mask >> bit) & 1) != 0; }

/// One dimension's index as it was written.
struct Index {
  int written = -1;  // which of the indices; -1: the dimension is covered by the ellipsis
  bool begin_masked = true;
  bool end_masked = true;
  bool shrinks = false;
};

/// Which index belongs to which dimension of the array, and what the result's dimensions are.
void lay_out(StridedSliceSpec& spec, std::array<Index, StridedSliceSpec::kMaxRank>& of_dim, int count,
             const SliceMasks& masks) {
  int ellipsis = count;  // where none is written, one stands at the end
  int new_axes = 0;
  for (int i = 0; i < count; ++i) {
    if (has_bit(masks.ellipsis, i)) {
      if (ellipsis < count) invalid_argument("Multiple ellipses in slice spec not allowed");
      ellipsis = i;
    } else if (has_bit(masks.new_axis, i)) {
      ++new_axes;
    }
  }
  const int num_indices = count - new_axes - (ellipsis < count ? 1 : 0);
  const int covered = std::max(0, spec.rank - num_indices);
  int dim = 0;
  for (int i = 0; i <= count; ++i) {
    if (i == ellipsis) {
      for (int k = 0; k < covered; ++k) spec.out_dims[static_cast<size_t>(spec.out_rank++)] = dim++;
      continue;
    }
    if (i == count) break;
    if (has_bit(masks.new_axis, i)) {
      spec.out_dims[static_cast<size_t>(spec.out_rank++)] = StridedSliceSpec::kNewAxis;
      continue;
    }
    if (spec.rank == 0) invalid_argument("Attempting to slice scalar input.");
    if (dim == spec.rank) {
      invalid_argument(fmt::format("Index out of range using input dim {0}; input has only {0} dims", dim));
    }
    const bool shrinks = has_bit(masks.shrink_axis, i);
    of_dim[static_cast<size_t>(dim)] = {i, has_bit(masks.begin, i), has_bit(masks.end, i), shrinks};
    if (!shrinks) spec.out_dims[static_cast<size_t>(spec.out_rank++)] = dim;
    ++dim;
  }
}

/// How many steps of `stride` lead from begin to before end.
int64_t steps(int64_t length, int64_t stride) {
  if (length == 0 || (length < 0) != (stride < 0)) return 0;
  return length / stride + (length % stride != 0 ? 1 : 0);
}

/// An index counted from the front and held inside of what `stride` can walk over.
int64_t clamped(int64_t index, int64_t dim, int64_t stride) {
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? dim : dim - 1;
  return std::clamp(index < 0 ? index + dim : index, lowest, highest);
}

}  // namespace

SliceMasks SliceMasks::of(const graph::Attrs& attrs) {
  return {.begin = attrs.get<int64_t>("begin_mask"),
          .end = attrs.get<int64_t>("end_mask"),
          .ellipsis = attrs.get<int64_t>("ellipsis_mask"),
          .new_axis = attrs.get<int64_t>("new_axis_mask"),
          .shrink_axis = attrs.get<int64_t>("shrink_axis_mask")};
}

StridedSliceSpec::StridedSliceSpec(const Shape& in, const SliceIndices& indices, const SliceMasks& masks)
    : rank(in.rank()) {
  if (rank > kMaxRank || indices.count > kMaxRank) invalid_argument("Slices reach up to 32 dimensions");
  std::array<Index, kMaxRank> of_dim;
  lay_out(*this, of_dim, indices.count, masks);
  for (int i = 0; i < rank; ++i) {
    const auto at = static_cast<size_t>(i);
    const Index& index = of_dim[at];
    const bool whole = index.written < 0;
    const int64_t step = whole ? 1 : indices.strides[index.written];
    if (step == 0) invalid_argument(fmt::format("strides[{}] must be non-zero", i));
    if (index.shrinks && step < 0) invalid_argument("only stride 1 allowed on non-range indexing.");
    stride[at] = step;
    const int64_t dim = in.dim(i);
    const bool known = whole || (indices.begin != nullptr && indices.end != nullptr);
    if (dim < 0) {
      size[at] = index.shrinks ? 1 : Shape::kUnknownDim;
    } else if (known && index.shrinks) {
      const int64_t given = indices.begin[index.written];
      begin[at] = given < 0 ? given + dim : given;
      size[at] = 1;
      if (begin[at] < 0 || begin[at] >= dim) {
        invalid_argument(fmt::format("slice index {} of dimension {} out of bounds.", begin[at], i));
      }
    } else if (known) {
      const int64_t first = step > 0 ? 0 : dim - 1;
      const int64_t last = step > 0 ? dim : -1;
      begin[at] = index.begin_masked ? first : clamped(indices.begin[index.written], dim, step);
      const int64_t end = index.end_masked ? last : clamped(indices.end[index.written], dim, step);
      size[at] = steps(end - begin[at], step);
    } else if (index.shrinks) {
      size[at] = 1;
    } else {
      const bool all = index.begin_masked && index.end_masked;
      size[at] = all ? steps(step > 0 ? dim : -dim, step) : Shape::kUnknownDim;
    }
  }
}

Shape StridedSliceSpec::output_shape() const {
  Shape shape;
  for (int i = 0; i < out_rank; ++i) {
    const int dim = out_dims[static_cast<size_t>(i)];
    shape.push_back(dim == kNewAxis ? 1 : size[static_cast<size_t>(dim)]);
  }
  return shape;
}

}  // namespace flowray::ops
