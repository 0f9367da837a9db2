#pragma once

#include "graph/shape_context.h"

namespace flowray::ops {

/// The shape of the variable behind input `i`, as far as it is known.
inline Shape variable_shape(const graph::ShapeContext& context, int i) {
  return context.input_dtype(i) == DType::kResource ? context.value_as_shape(i) : context.input(i);
}

/// The shape of a row along the first dimension; for a scalar its own.
inline Shape row_shape(const Shape& shape) {
  if (!shape.has_rank()) return shape;
  return Shape(shape.dims().subspan(shape.rank() > 0 ? 1 : 0));
}

}  // namespace flowray::ops
