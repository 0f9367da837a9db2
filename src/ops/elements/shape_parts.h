#pragma once
/// Products of a fully known shape's dimensions: what loops over dense arrays are made of.

#include "core/checked_size.h"

#include <flowray/errors.h>
#include <flowray/shape.h>

#include <cstdint>
#include <vector>

namespace flowray::ops {

/// The product of dimensions [begin, end). A part of an empty array may be more than can be counted, as of
/// [0, 2^62, 4]: then it is 0, for there is nothing in it either. Throws errors::InvalidArgumentError for a
/// part of anything else.
inline int64_t elements_between(const Shape& shape, int begin, int end) {
  int64_t count = 1;
  for (int i = begin; i < end; ++i) {
    if (!__builtin_mul_overflow(count, shape.dim(i), &count)) continue;
    if (shape.num_elements() == 0) return 0;
    throw errors::InvalidArgumentError("Shape " + shape.to_string() +
                                       " has more elements than can be counted");
  }
  return count;
}

/// For each dimension, how many elements apart its neighbours are in a dense array; 0 in an empty one,
/// which has no neighbours.
inline std::vector<int64_t> dense_strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 0);
  if (shape.num_elements() == 0) return strides;
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = stride;
    stride = checked(stride) * shape.dim(i);
  }
  return strides;
}

}  // namespace flowray::ops
