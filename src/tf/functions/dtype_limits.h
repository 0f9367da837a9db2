#pragma once
/// The smallest and largest finite numbers of dtypes, exactly.

#include <flowray/dtype.h>
#include <flowray/errors.h>

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace flowray::tf {

struct Limits {
  long double lowest;
  long double highest;
};

template <class T>
constexpr Limits limits_of_type() {
  return {static_cast<long double>(std::numeric_limits<T>::lowest()),
          static_cast<long double>(std::numeric_limits<T>::max())};
}

inline Limits limits_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return limits_of_type<float>();
    case DType::kFloat64:
      return limits_of_type<double>();
    case DType::kFloat16:
      return {-65504.0L, 65504.0L};
    case DType::kBfloat16:
      return {-0x1.FEp127L, 0x1.FEp127L};
    case DType::kInt8:
      return limits_of_type<int8_t>();
    case DType::kInt16:
      return limits_of_type<int16_t>();
    case DType::kInt32:
      return limits_of_type<int32_t>();
    case DType::kInt64:
      return limits_of_type<int64_t>();
    case DType::kUint8:
      return limits_of_type<uint8_t>();
    case DType::kUint16:
      return limits_of_type<uint16_t>();
    case DType::kUint32:
      return limits_of_type<uint32_t>();
    case DType::kUint64:
      return limits_of_type<uint64_t>();
    default:
      throw TypeError(fmt::format("Numbers of dtype {} have no limits.", dtype_name(dtype)));
  }
}

}  // namespace flowray::tf
