#pragma once
/// How many elements a dataset has, as far as its graph says it without a step: what TensorFlow's op
/// DatasetCardinality gives.

#include <flowray/tf/data.h>

namespace flowray::tf::data {

inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

/// The number, or one of these two.
int64_t cardinality_of(const Dataset& dataset);

}  // namespace flowray::tf::data
