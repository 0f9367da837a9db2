#pragma once
/// Indices of any integer type, read one by one: a loop over rows need not be there for each index type.

#include <flowray/dtype.h>

#include <cstdint>

namespace flowray::ops {

struct IntegerReader {
  const void* data;
  DType dtype;  // int16, uint16, int32 or int64

  int64_t operator[](int64_t i) const {
    if (dtype == DType::kInt64) return static_cast<const int64_t*>(data)[i];
    if (dtype == DType::kInt32) return static_cast<const int32_t*>(data)[i];
    if (dtype == DType::kUint16) return static_cast<const uint16_t*>(data)[i];
    return static_cast<const int16_t*>(data)[i];
  }
};

}  // namespace flowray::ops
