// The functions of one element, of which elementwise ops of one tensor are made (math_loops.h). All that
// src/ops/loops/ has of each is here:
//
//   FLOWRAY_UNARY(name, cost, types, { body })
//
//   name    with k before it, in UnaryFunction
//   cost    Cheap or Dear: how many elements are worth waking a thread for (math_loops.cpp)
//   types   a list of element types (math_functions_code.h); VectorF in it is float32, a vector at a time
//   body    gives f(x) for an x of type T; compiled for each type and CpuLevel, but for complex numbers and
//           uint64, which are rare, for the portable level only
//
// The including file defines FLOWRAY_UNARY before and undefines it afterwards.

#ifdef FLOWRAY_UNARY

FLOWRAY_UNARY(Abs, Cheap, Numbers, {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  else
    return x < 0 ? wrapping_negate(x) : x;
})

FLOWRAY_UNARY(Neg, Cheap, AllNumbers, { return wrapping_negate(x); })

FLOWRAY_UNARY(Sign, Cheap, AllNumbers, {
  if constexpr (kIsComplex<T>)
    return x == T(0) ? T(0) : x / std::abs(x);
  else if constexpr (std::is_unsigned_v<T>)
    return x > 0 ? T(1) : T(0);
  else if constexpr (std::is_floating_point_v<T>)
    return x != x ? x : static_cast<T>((x > 0) - (x < 0));
  else
    return static_cast<T>((x > 0) - (x < 0));
})

FLOWRAY_UNARY(Square, Cheap, AllNumbers, { return wrapping_multiply(x, x); })

FLOWRAY_UNARY(Sqrt, Cheap, FloatsAndComplex, { return std::sqrt(x); })

FLOWRAY_UNARY(Rsqrt, Cheap, FloatsAndComplex, { return T(1) / std::sqrt(x); })

FLOWRAY_UNARY(Exp, Dear, VectorFloatsAndComplex, {
  if constexpr (std::is_same_v<T, VectorF>)
    return vector_exp(x);
  else
    return std::exp(x);
})

FLOWRAY_UNARY(Expm1, Dear, FloatsAndComplex, {
  if constexpr (kIsComplex<T>) {
    // Without the loss of digits that exp(x) - 1 has next to zero.
    const T e = std::exp(x);
    if (e == T(1)) return x;
    const T less = e - T(1);
    return less == T(-1) ? T(-1) : less * x / std::log(e);
  } else {
    return std::expm1(x);
  }
})

FLOWRAY_UNARY(Log, Dear, VectorFloatsAndComplex, {
  if constexpr (std::is_same_v<T, VectorF>)
    return vector_log(x);
  else
    return std::log(x);
})

FLOWRAY_UNARY(Log1p, Dear, FloatsAndComplex, {
  if constexpr (kIsComplex<T>) {
    // Without the loss of digits that log(1 + x) has next to zero.
    const T more = T(1) + x;
    return more == T(1) ? x : x * (std::log(more) / (more - T(1)));
  } else {
    return std::log1p(x);
  }
})

FLOWRAY_UNARY(Sin, Dear, FloatsAndComplex, { return std::sin(x); })
FLOWRAY_UNARY(Cos, Dear, FloatsAndComplex, { return std::cos(x); })
FLOWRAY_UNARY(Tan, Dear, FloatsAndComplex, { return std::tan(x); })
FLOWRAY_UNARY(Asin, Dear, FloatsAndComplex, { return std::asin(x); })
FLOWRAY_UNARY(Acos, Dear, FloatsAndComplex, { return std::acos(x); })
FLOWRAY_UNARY(Atan, Dear, FloatsAndComplex, { return std::atan(x); })
FLOWRAY_UNARY(Sinh, Dear, FloatsAndComplex, { return std::sinh(x); })
FLOWRAY_UNARY(Cosh, Dear, FloatsAndComplex, { return std::cosh(x); })

FLOWRAY_UNARY(Tanh, Dear, VectorFloatsAndComplex, {
  if constexpr (std::is_same_v<T, VectorF>)
    return vector_tanh(x);
  else
    return std::tanh(x);
})

FLOWRAY_UNARY(Sigmoid, Dear, VectorFloatsAndComplex, {
  if constexpr (std::is_same_v<T, VectorF>) {
    return vector_sigmoid(x);
  } else if constexpr (kIsComplex<T>) {
    return T(1) / (T(1) + std::exp(-x));
  } else {
    // exp of a negative number only, so that nothing overflows on the way to a tiny result.
    const T e = std::exp(-std::fabs(x));
    return (x >= 0 ? T(1) : e) / (T(1) + e);
  }
})

FLOWRAY_UNARY(Erf, Dear, Floats, { return std::erf(x); })
FLOWRAY_UNARY(Erfc, Dear, Floats, { return std::erfc(x); })

FLOWRAY_UNARY(Reciprocal, Cheap, FloatsAndComplex, { return T(1) / x; })

FLOWRAY_UNARY(Floor, Cheap, Floats, { return std::floor(x); })
FLOWRAY_UNARY(Ceil, Cheap, Floats, { return std::ceil(x); })

// Halves to even: the rounding mode is never changed.
FLOWRAY_UNARY(Rint, Cheap, Floats, { return std::nearbyint(x); })

FLOWRAY_UNARY(Round, Cheap, NumbersAndComplex, {
  if constexpr (kIsComplex<T>)
    return T(std::nearbyint(x.real()), std::nearbyint(x.imag()));
  else if constexpr (std::is_floating_point_v<T>)
    return std::nearbyint(x);
  else
    return x;
})

FLOWRAY_UNARY(IsNan, Cheap, Floats, { return x != x; })
FLOWRAY_UNARY(IsInf, Cheap, Floats, { return std::fabs(x) == std::numeric_limits<T>::infinity(); })
FLOWRAY_UNARY(IsFinite, Cheap, Floats, { return std::fabs(x) < std::numeric_limits<T>::infinity(); })

FLOWRAY_UNARY(LogicalNot, Cheap, Truth, { return !x; })

#endif  // FLOWRAY_UNARY
