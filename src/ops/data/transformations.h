#pragma once
/// Transformations that several ops are made of.

#include "ops/data/dataset.h"
#include "ops/data/user_function.h"

#include <cstdint>

namespace flowray::ops {

/// `size` elements stacked, fewer at the end unless these are left out.
Array batched(const DatasetInput& input, int64_t size, bool drops_remainder);

/// What the function gives for each element. `num_parallel_calls`, -1: as many as there are cores; calls of a
/// function that keeps nothing run side by side then.
Array mapped(const DatasetInput& input, const Mapping& mapping, int64_t num_parallel_calls);

}  // namespace flowray::ops
