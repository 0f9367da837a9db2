#pragma once
/// Where values belong among others, and how many there are of each.

#include <flowray/tf/dtypes.h>
#include <flowray/tf/input.h>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct SearchsortedOptions {
  /// "left": in front of equal values; "right": behind them. Throws ValueError for anything else.
  std::string side = "left";
  DType out_type = DType::kInt32;
  std::string name = {};
};
/// Where each of `values` would stand in the sorted sequence, both of the same shape but for the last
/// dimension.
Tensor searchsorted(const Input& sorted_sequence, const Input& values,
                    const SearchsortedOptions& options = {});

struct BincountOptions {
  /// What each value counts; left out: 1.
  OptionalInput weights = {};
  /// The least and the largest number of bins.
  OptionalInput minlength = {};
  OptionalInput maxlength = {};
  /// Of the counts where there are no weights.
  DType dtype = DType::kInt32;
};
/// How often 0, 1, 2, ... stand in `arr`.
Tensor bincount(const Input& arr, const BincountOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
