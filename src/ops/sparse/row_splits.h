#pragma once
/// Where the rows of a ragged tensor begin, as ops that count its values read it.

#include "core/invalid_argument.h"

#include <flowray/array.h>

#include <fmt/format.h>

#include <cstdint>

namespace flowray::ops {

/// The elements of an int64 array, which outlives it: from 0 to the number of the values. Those between may
/// be in any order, for ops that take them so.
class RowSplits {
 public:
  /// Throws InvalidArgumentError.
  RowSplits(const Array& splits, int64_t num_values)
      : splits_(splits.data<int64_t>()), num_rows_(splits.size() - 1) {
    if (num_rows_ < 0) invalid_argument("Splits must be non-empty");
    if (splits_[0] != 0) invalid_argument(fmt::format("Splits must start with 0, not with {}", splits_[0]));
    if (splits_[num_rows_] != num_values) {
      invalid_argument(fmt::format("Splits must end with the number of values, got {} instead of {}",
                                   splits_[num_rows_], num_values));
    }
  }

  int64_t num_rows() const { return num_rows_; }

  /// Asked for one value after the other, from the first.
  class Walk {
   public:
    explicit Walk(const RowSplits& splits) : splits_(splits) {}
    /// The row of value `i`. It comes to an end at the last of the splits, which is beyond all values.
    int64_t of(int64_t i) {
      while (i >= splits_.splits_[next_]) ++next_;
      return next_ - 1;
    }

   private:
    const RowSplits& splits_;
    int64_t next_ = 0;
  };

 private:
  const int64_t* splits_;
  int64_t num_rows_;
};

}  // namespace flowray::ops
