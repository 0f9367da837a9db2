#include "core/convert.h"

#include "core/dtype_dispatch.h"

#include <cstring>
#include <limits>

namespace flowray {
namespace {

using Convertible =
    TypeList<float, double, int32_t, int64_t, bool, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t,
             float16, bfloat16, std::complex<float>, std::complex<double>>;

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// A float as an integer where C++ leaves it undefined (NaN, out of range): the answers of x86's scalar
/// instructions, which TensorFlow gives too. Narrow types go through int32 and wrap.
template <class To>
To float_to_integer(double value) {
  if constexpr (sizeof(To) < 4) {
    return static_cast<To>(float_to_integer<int32_t>(value));
  } else if constexpr (std::is_signed_v<To>) {
    const double limit = sizeof(To) == 4 ? 0x1p31 : 0x1p63;
    const bool fits =
        sizeof(To) == 4 ? value > -limit - 1 && value < limit : value >= -limit && value < limit;
    return fits ? static_cast<To>(value) : std::numeric_limits<To>::min();
  } else {
    const double limit = sizeof(To) == 4 ? 0x1p32 : 0x1p64;
    if (value >= 0 && value < limit) return static_cast<To>(value);
    const double lowest = sizeof(To) == 4 ? -0x1p31 - 1 : -0x1p63;
    if (value > lowest && value < 0) return static_cast<To>(static_cast<int64_t>(value));
    return To{1} << (sizeof(To) * 8 - 1);
  }
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(value);
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(value.real());
  } else if constexpr (kIsHalf<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (kIsHalf<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_integer<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

bool can_convert(DType from, DType to) {
  const auto known = [](DType dtype) { return dispatch<Convertible>(dtype, []<class T>() {}); };
  return known(from) && known(to);
}

void convert_elements(DType from, const void* source, DType to, void* target, int64_t count) {
  if (from == to) {
    if (source != target) std::memcpy(target, source, static_cast<size_t>(count) * dtype_size(from));
    return;
  }
  (void)dispatch<Convertible>(from, [&]<class From>() {
    (void)dispatch<Convertible>(to, [&]<class To>() {
      const From* in = static_cast<const From*>(source);
      To* out = static_cast<To*>(target);
      for (int64_t i = 0; i < count; ++i) out[i] = convert<To>(in[i]);
    });
  });
}

}  // namespace flowray
