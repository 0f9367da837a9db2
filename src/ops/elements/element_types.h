#pragma once
/// Lists of element types beyond those of core/dtype_dispatch.h, for kernels that are small enough to be
/// there for all of them, and what their arithmetic is done in.

#include "core/dtype_dispatch.h"
#include "ops/loops/is_complex.h"

#include <flowray/float16.h>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace flowray::ops {

using RealFloatTypes = TypeList<float, double, float16, bfloat16>;
using IntegerTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using RealTypes = TypeList<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                           uint16_t, uint32_t, uint64_t>;
using ComplexTypes = TypeList<std::complex<float>, std::complex<double>>;
using FloatAndComplexTypes =
    TypeList<float, double, float16, bfloat16, std::complex<float>, std::complex<double>>;
using AllNumberTypes = TypeList<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                                uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>>;

template <class T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// What one operation on T is computed in: float for the 16-bit floats, else T itself.
template <class T>
using Wide = std::conditional_t<kIsSmallFloat<T>, float, T>;

}  // namespace flowray::ops
