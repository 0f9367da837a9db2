#pragma once
/// How an update is put together with what is there: the rules of AssignAdd, ScatterMul,
/// TensorScatterMax, ...

#include <flowray/errors.h>

#include "core/wrapping.h"
#include "ops/elements/element_types.h"

namespace flowray::ops {

struct Plus {
  template <class T>
  static T combine(T a, T b) {
    return wrapping_add(a, b);
  }
};
struct Minus {
  template <class T>
  static T combine(T a, T b) {
    return wrapping_subtract(a, b);
  }
};
struct Times {
  template <class T>
  static T combine(T a, T b) {
    return wrapping_multiply(a, b);
  }
};
/// Integers: towards zero. The least integer divided by -1 is itself, as words wrap around.
struct Over {
  template <class T>
  static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0)) throw errors::InvalidArgumentError("Integer division by zero");
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return wrapping_subtract(T(0), a);
      }
    }
    return static_cast<T>(a / b);
  }
};
struct Least {
  template <class T>
  static T combine(T a, T b) {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  static T combine(T a, T b) {
    return a < b ? b : a;
  }
};
/// The update as it is; also for elements that are only moved.
struct Replace {
  template <class T>
  static T combine(const T&, const T& b) {
    return b;
  }
};

}  // namespace flowray::ops
