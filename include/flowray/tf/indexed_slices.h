#pragma once
/// tf.IndexedSlices: some rows of a tensor, by their numbers. The gradient of gathering rows is of this kind.

#include <flowray/tf/input.h>
#include <flowray/tf/tensor.h>

#include <optional>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct IndexedSlices {
  /// [rows, ...]
  Tensor values;
  /// The number of each row, int32 or int64; one may come more than once, then its values count together.
  Tensor indices;
  /// The shape of the whole tensor; none where it is not known.
  Tensor dense_shape;
};

/// The rows of which a gradient is the sum: of several gatherings those of each, one after the other, by
/// nodes that are made in the current scopes. None where the gradient is, or contains, anything else.
std::optional<IndexedSlices> indexed_slices(const Tensor& gradient);

/// The whole tensor, whose other rows are zero. An optimizer that gets it updates the rows alone, and then
/// this sum is never run. Throws ValueError without a dense_shape.
Tensor convert_to_tensor(const IndexedSlices& slices, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
