#pragma once

#include <flowray/shape.h>

namespace flowray::ops {

/// How many matrices a tensor holds: its shape without the last two dimensions, of which it must have two.
inline Shape batch_of(const Shape& shape) {
  if (!shape.has_rank()) return shape;
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
}

}  // namespace flowray::ops
