// The functions of MathLoops, element by element.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/loops/math_loops.h"
#include "ops/loops/portable_level.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

// ---- arithmetic that wraps around where C++ leaves signed overflow undefined

template <class T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

template <class T>
T wrapping_subtract(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  } else {
    return a - b;
  }
}

template <class T>
T wrapping_multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else {
    return a * b;
  }
}

template <class T>
T wrapping_negate(T a) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping_subtract(T(0), a);
  } else {
    return -a;
  }
}

// ---- functions of one element

struct Abs {
  template <class T>
  static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else
      return x < 0 ? wrapping_negate(x) : x;
  }
};
struct Neg {
  template <class T>
  static T apply(T x) {
    return wrapping_negate(x);
  }
};
struct Sign {
  template <class T>
  static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x != x ? x : static_cast<T>((x > 0) - (x < 0));
    else
      return static_cast<T>((x > 0) - (x < 0));
  }
};
struct Square {
  template <class T>
  static T apply(T x) {
    return wrapping_multiply(x, x);
  }
};
struct Sqrt {
  template <class T>
  static T apply(T x) {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  template <class T>
  static T apply(T x) {
    return T(1) / std::sqrt(x);
  }
};
struct Exp {
  template <class T>
  static T apply(T x) {
    return std::exp(x);
  }
};
struct Expm1 {
  template <class T>
  static T apply(T x) {
    return std::expm1(x);
  }
};
struct Log {
  template <class T>
  static T apply(T x) {
    return std::log(x);
  }
};
struct Log1p {
  template <class T>
  static T apply(T x) {
    return std::log1p(x);
  }
};
struct Sin {
  template <class T>
  static T apply(T x) {
    return std::sin(x);
  }
};
struct Cos {
  template <class T>
  static T apply(T x) {
    return std::cos(x);
  }
};
struct Tan {
  template <class T>
  static T apply(T x) {
    return std::tan(x);
  }
};
struct Asin {
  template <class T>
  static T apply(T x) {
    return std::asin(x);
  }
};
struct Acos {
  template <class T>
  static T apply(T x) {
    return std::acos(x);
  }
};
struct Atan {
  template <class T>
  static T apply(T x) {
    return std::atan(x);
  }
};
struct Sinh {
  template <class T>
  static T apply(T x) {
    return std::sinh(x);
  }
};
struct Cosh {
  template <class T>
  static T apply(T x) {
    return std::cosh(x);
  }
};
struct Tanh {
  template <class T>
  static T apply(T x) {
    return std::tanh(x);
  }
};
struct Sigmoid {
  // exp of a negative number only, so that nothing overflows on the way to a tiny result.
  template <class T>
  static T apply(T x) {
    const T e = std::exp(-std::fabs(x));
    return (x >= 0 ? T(1) : e) / (T(1) + e);
  }
};
struct Erf {
  template <class T>
  static T apply(T x) {
    return std::erf(x);
  }
};
struct Erfc {
  template <class T>
  static T apply(T x) {
    return std::erfc(x);
  }
};
struct Reciprocal {
  template <class T>
  static T apply(T x) {
    return T(1) / x;
  }
};
struct Floor {
  template <class T>
  static T apply(T x) {
    return std::floor(x);
  }
};
struct Ceil {
  template <class T>
  static T apply(T x) {
    return std::ceil(x);
  }
};
// Halves to even: the rounding mode is never changed.
struct Rint {
  template <class T>
  static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::nearbyint(x);
    else
      return x;
  }
};
struct IsNan {
  template <class T>
  static bool apply(T x) {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  static bool apply(T x) {
    return std::fabs(x) == std::numeric_limits<T>::infinity();
  }
};
struct IsFinite {
  template <class T>
  static bool apply(T x) {
    return std::fabs(x) < std::numeric_limits<T>::infinity();
  }
};
struct LogicalNot {
  static bool apply(bool x) { return !x; }
};

// ---- functions of two elements; `check` looks at the right operands of integers before anything is computed

struct NoZero {
  template <class T>
  static void check(const T* y, int64_t count) {
    bool zero = false;
    for (int64_t i = 0; i < count; ++i) zero |= y[i] == 0;
    if (zero) throw_division_by_zero();
  }
};

struct Add {
  template <class T>
  static T apply(T x, T y) {
    return wrapping_add(x, y);
  }
};
struct Sub {
  template <class T>
  static T apply(T x, T y) {
    return wrapping_subtract(x, y);
  }
};
struct Mul {
  template <class T>
  static T apply(T x, T y) {
    return wrapping_multiply(x, y);
  }
};
struct Div : NoZero {
  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return y == -1 ? wrapping_negate(x) : static_cast<T>(x / y);
    else
      return x / y;
  }
};
struct FloorDiv : NoZero {
  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      if (y == -1) return wrapping_negate(x);
      const T quotient = static_cast<T>(x / y);
      return static_cast<T>(quotient - ((x % y != 0) & ((x < 0) != (y < 0))));
    } else {
      return std::floor(x / y);
    }
  }
};
struct Mod : NoZero {
  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return y == -1 ? T(0) : static_cast<T>(x % y);
    else
      return std::fmod(x, y);
  }
};
struct FloorMod : NoZero {
  template <class T>
  static T apply(T x, T y) {
    const T rest = Mod::apply(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
  }
};
// TensorFlow gives the truncated ops another code for division by zero.
struct NoTruncatedZero {
  template <class T>
  static void check(const T* y, int64_t count) {
    if (std::find(y, y + count, T{0}) != y + count) throw_truncated_division_by_zero();
  }
};
struct TruncateMod : NoTruncatedZero {
  template <class T>
  static T apply(T x, T y) {
    return Mod::apply(x, y);
  }
};
struct TruncateDiv : NoTruncatedZero {
  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return Div::apply(x, y);
    else
      return std::trunc(x / y);
  }
};
struct DivNoNan {
  template <class T>
  static T apply(T x, T y) {
    return y == 0 ? T(0) : x / y;
  }
};
// A NaN on either side is the result; of equal values (0 and -0) the left one.
struct Maximum {
  template <class T>
  static T apply(T x, T y) {
    return ((x < y) | (y != y)) ? y : x;
  }
};
struct Minimum {
  template <class T>
  static T apply(T x, T y) {
    return ((y < x) | (y != y)) ? y : x;
  }
};
struct Pow {
  template <class T>
  static void check(const T* y, int64_t count) {
    bool negative = false;
    for (int64_t i = 0; i < count; ++i) negative |= y[i] < 0;
    if (negative) throw_negative_power();
  }
  template <class T>
  static T apply(T x, T y) {
    if constexpr (!std::is_integral_v<T>) {
      return std::pow(x, y);
    } else {
      T result = 1;
      for (T power = x; y > 0; y = static_cast<T>(y >> 1)) {
        if (y & 1) result = wrapping_multiply(result, power);
        power = wrapping_multiply(power, power);
      }
      return result;
    }
  }
};
struct SquaredDifference {
  template <class T>
  static T apply(T x, T y) {
    return Square::apply(wrapping_subtract(x, y));
  }
};
struct Atan2 {
  template <class T>
  static T apply(T y, T x) {
    return std::atan2(y, x);
  }
};
struct SigmoidGrad {
  template <class T>
  static T apply(T y, T dy) {
    return dy * y * (T(1) - y);
  }
};
struct TanhGrad {
  template <class T>
  static T apply(T y, T dy) {
    return dy * (T(1) - y * y);
  }
};
struct SqrtGrad {
  template <class T>
  static T apply(T y, T dy) {
    return dy * T(0.5) / y;
  }
};
struct RsqrtGrad {
  template <class T>
  static T apply(T y, T dy) {
    return T(-0.5) * dy * y * y * y;
  }
};
struct ReciprocalGrad {
  template <class T>
  static T apply(T y, T dy) {
    return -dy * y * y;
  }
};
struct Equal {
  template <class T>
  static bool apply(T x, T y) {
    return x == y;
  }
};
struct NotEqual {
  template <class T>
  static bool apply(T x, T y) {
    return x != y;
  }
};
struct Less {
  template <class T>
  static bool apply(T x, T y) {
    return x < y;
  }
};
struct LessEqual {
  template <class T>
  static bool apply(T x, T y) {
    return x <= y;
  }
};
struct Greater {
  template <class T>
  static bool apply(T x, T y) {
    return x > y;
  }
};
struct GreaterEqual {
  template <class T>
  static bool apply(T x, T y) {
    return x >= y;
  }
};
struct LogicalAnd {
  static bool apply(bool x, bool y) { return x & y; }
};
struct LogicalOr {
  static bool apply(bool x, bool y) { return x | y; }
};

}  // namespace
}  // namespace flowray::ops::FLOWRAY_LEVEL
