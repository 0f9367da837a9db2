#pragma once
/// Sorting, and whether something is sorted. Nodes and names are those of TensorFlow's sort_ops and
/// check_ops.

#include <flowray/tf/input.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct SortOptions {
  /// The dimension to sort along; -1: the last.
  int64_t axis = -1;
  /// "ASCENDING" or "DESCENDING".
  std::string direction = "ASCENDING";
  std::string name = {};
};
/// The values in order, in the shape of `values`. Throws ValueError for another direction.
Tensor sort(const Input& values, const SortOptions& options = {});
/// Where the values in order stand: int32, in the shape of `values`. Equal ones keep their order.
Tensor argsort(const Input& values, const SortOptions& options = {});

/// Whether no element is less than the one before it, the dimensions read in a row: a bool scalar.
Tensor is_non_decreasing(const Input& x, const NameOption& options = {});
/// Whether each element is more than the one before it.
Tensor is_strictly_increasing(const Input& x, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
