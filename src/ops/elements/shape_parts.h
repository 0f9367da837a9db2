#pragma once
/// Products of a fully known shape's dimensions: what loops over dense arrays are made of.

#include <flowray/shape.h>

#include <cstdint>
#include <vector>

namespace flowray::ops {

/// The product of dimensions [begin, end).
inline int64_t elements_between(const Shape& shape, int begin, int end) {
  int64_t count = 1;
  for (int i = begin; i < end; ++i) count *= shape.dim(i);
  return count;
}

/// For each dimension, how many elements apart its neighbours are in a dense array.
inline std::vector<int64_t> dense_strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = stride;
    stride *= shape.dim(i);
  }
  return strides;
}

}  // namespace flowray::ops
