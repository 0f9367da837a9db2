#pragma once

#include <complex>
#include <type_traits>

namespace flowray::ops {

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

}  // namespace flowray::ops
