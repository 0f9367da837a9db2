#pragma once

#include <flowray/array.h>

#include <cstdint>
#include <vector>

namespace flowray::compare {

/// What both sides begin with: numbers in [-scale, scale) that look like none in particular.
Array pattern(const Shape& shape, int64_t factor, float scale);

/// [batch, 10]: a 1 in column 7 i % 10 of row i.
Array labels_of(int64_t batch);

}  // namespace flowray::compare
