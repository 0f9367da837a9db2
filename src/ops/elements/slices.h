#pragma once
/// An array as slices that coordinates name, for GatherNd, ScatterNd and their relatives.

#include "ops/elements/shape_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

namespace flowray::ops {

/// Dimensions [begin, end).
inline Shape part_of(const Shape& shape, int begin, int end) {
  return Shape(shape.dims().subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

/// `indices` holds a coordinate in each row of its last dimension, of at most as many numbers as the array
/// has dimensions.
struct Slices {
  Shape shape;  // the array's
  int depth;    // numbers in a coordinate
  int64_t count;
  int64_t slice;  // elements of a slice

  Slices(const Shape& array, const Shape& indices)
      : shape(array),
        depth(static_cast<int>(indices.dim(-1))),
        count(elements_between(indices, 0, indices.rank() - 1)),
        slice(elements_between(array, depth, array.rank())) {
    // Coordinates without a number take no memory, so there may be any number of them: of slices without an
    // element none needs a look.
    if (depth == 0 && slice == 0) count = 0;
  }

  /// The number of the slice at coordinate `i`; none if there is no such one. `indices` is a pointer or
  /// an IntegerReader.
  template <class Indices>
  std::optional<int64_t> find(const Indices& indices, int64_t i) const {
    int64_t number = 0;
    for (int d = 0; d < depth; ++d) {
      const auto index = static_cast<int64_t>(indices[i * depth + d]);
      if (index < 0 || index >= shape.dim(d)) return std::nullopt;
      number = number * shape.dim(d) + index;
    }
    return number;
  }

  template <class Indices>
  std::string coordinate_text(const Indices& indices, int64_t i) const {
    std::vector<int64_t> numbers;
    for (int d = 0; d < depth; ++d) numbers.push_back(static_cast<int64_t>(indices[i * depth + d]));
    return fmt::format("[{}]", fmt::join(numbers, ", "));
  }
};

}  // namespace flowray::ops
