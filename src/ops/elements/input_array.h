#pragma once

#include "graph/kernel/kernel.h"

#include <algorithm>
#include <cstring>

namespace flowray::ops {

/// Input `i` of a kernel as an Array; its elements are copied.
inline Array input_array(const graph::KernelCall& call, int i, DType dtype, const Shape& shape) {
  Array array(dtype, shape);
  if (dtype == DType::kString) {
    std::copy_n(call.in<std::string>(i), array.size(), array.mutable_data<std::string>());
  } else if (array.size() > 0) {
    std::memcpy(array.mutable_raw_data(), call.in<void>(i), array.size_bytes());
  }
  return array;
}

}  // namespace flowray::ops
