#pragma once
/// What `verify_shape` asks for.

#include "native/convert/convert.h"

#include <fmt/format.h>

namespace flowray::python {

/// TypeError where a value does not have the shape that is asked of it.
inline void check_verified_shape(const Shape& given, const Shape& wanted) {
  if (given == wanted) return;
  throw TypeError(fmt::format("Expected Tensor's shape: {}, but got {}.", wanted.to_tuple_string(),
                              given.to_tuple_string()));
}

}  // namespace flowray::python
