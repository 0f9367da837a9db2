#pragma once
/// Arithmetic in which integers wrap around, as machine words do: in C++ overflow of signed ones is
/// undefined, and narrow ones are promoted to int before they are multiplied. Other types have their own
/// operators. It is inlined wherever it is called, so that loops with wider instructions may use it.

#include <type_traits>

namespace flowray {

/// The unsigned integers in which T is computed.
template <class T>
using WrappingWord = typename std::conditional_t<(sizeof(T) < sizeof(unsigned)), std::type_identity<unsigned>,
                                                 std::make_unsigned<T>>::type;

template <class T>
[[gnu::always_inline]] constexpr T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<WrappingWord<T>>(a) + static_cast<WrappingWord<T>>(b));
  else
    return static_cast<T>(a + b);
}

template <class T>
[[gnu::always_inline]] constexpr T wrapping_subtract(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<WrappingWord<T>>(a) - static_cast<WrappingWord<T>>(b));
  else
    return static_cast<T>(a - b);
}

template <class T>
[[gnu::always_inline]] constexpr T wrapping_multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<WrappingWord<T>>(a) * static_cast<WrappingWord<T>>(b));
  else
    return static_cast<T>(a * b);
}

template <class T>
[[gnu::always_inline]] constexpr T wrapping_negate(T a) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_subtract(T(0), a);
  else
    return -a;
}

}  // namespace flowray
