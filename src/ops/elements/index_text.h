#pragma once
/// Positions in arrays of indices, as error messages name them.

#include <flowray/shape.h>

#include <cstdint>
#include <string>

namespace flowray::ops {

/// "[1,0]": where the element at `flat` stands in a dense array of `shape`; empty for a scalar.
std::string position_text(const Shape& shape, int64_t flat);

}  // namespace flowray::ops
