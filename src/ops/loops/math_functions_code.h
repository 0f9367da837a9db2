// The functions of MathLoops, element by element.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/wrapping.h"
#include "ops/loops/is_complex.h"
#include "ops/loops/loop_hints.h"
#include "ops/loops/math_loops.h"
#include "ops/loops/portable_level.h"
#include "ops/loops/vector_functions_code.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

// ---- lists of element types

template <class... Ts>
struct TypesOf {};
using Truth = TypesOf<bool>;
using Floats = TypesOf<float, double>;
using FloatsAndComplex = TypesOf<float, double, std::complex<float>, std::complex<double>>;
/// With vector code for float32, and the C library's function for the others.
using VectorFloatsAndComplex = TypesOf<VectorF, double, std::complex<float>, std::complex<double>>;
using Numbers = TypesOf<float, double, int32_t, int64_t>;
using NumbersAndComplex = TypesOf<float, double, int32_t, int64_t, std::complex<float>, std::complex<double>>;
using AllNumbers =
    TypesOf<float, double, int32_t, int64_t, uint64_t, std::complex<float>, std::complex<double>>;
using Anything = TypesOf<float, double, int32_t, int64_t, bool>;

// ---- functions of one element

#define FLOWRAY_UNARY(name, cost, types, ...)                \
  struct name {                                              \
    using Types = types;                                     \
    template <class T>                                       \
    FLOWRAY_ALWAYS_INLINE static auto apply(T x) __VA_ARGS__ \
  };
#include "ops/loops/unary_functions.h"
#undef FLOWRAY_UNARY

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
