// The loops of MathLoops, written once and compiled once for each CpuLevel by math_loops.cpp.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/loops/loop_hints.h"
#include "ops/loops/math_functions_code.h"
#include "ops/loops/math_loops.h"
#include "ops/loops/portable_level.h"
#include "ops/loops/vector_functions_code.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

// ---- the loops

template <class F, class T>
void unary_loop(const void* x, void* y, int64_t count) {
  using R = decltype(F::apply(T()));
  const T* in = static_cast<const T*>(x);
  R* out = static_cast<R*>(y);
  FLOWRAY_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = F::apply(in[i]);
}

template <class F, class T>
struct BinaryLoop2 {
  using R = decltype(F::apply(T(), T()));

  static void check(const T* y, int64_t count) {
    if constexpr (std::is_integral_v<T> && requires { F::check(y, count); }) F::check(y, count);
  }
  static void both(const void* x, const void* y, void* z, int64_t count) {
    const T* left = static_cast<const T*>(x);
    const T* right = static_cast<const T*>(y);
    R* out = static_cast<R*>(z);
    check(right, count);
    FLOWRAY_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = F::apply(left[i], right[i]);
  }
  static void one_left(const void* x, const void* y, void* z, int64_t count) {
    const T left = *static_cast<const T*>(x);
    const T* right = static_cast<const T*>(y);
    R* out = static_cast<R*>(z);
    check(right, count);
    FLOWRAY_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = F::apply(left, right[i]);
  }
  static void one_right(const void* x, const void* y, void* z, int64_t count) {
    const T* left = static_cast<const T*>(x);
    const T right = *static_cast<const T*>(y);
    R* out = static_cast<R*>(z);
    check(&right, 1);
    if constexpr (std::is_same_v<F, Pow> && std::is_floating_point_v<T>) {
      if (right == T(2)) return unary_loop<Square, T>(x, z, count);
    }
    FLOWRAY_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = F::apply(left[i], right);
  }
};

// ---- the table

template <class... Ts>
struct Types {};
using Floats = Types<float, double>;
using Numbers = Types<float, double, int32_t, int64_t>;
using Anything = Types<float, double, int32_t, int64_t, bool>;
using Truth = Types<bool>;

template <class T>
constexpr size_t slot_of() {
  if constexpr (std::is_same_v<T, float>) return 0;
  if constexpr (std::is_same_v<T, double>) return 1;
  if constexpr (std::is_same_v<T, int32_t>) return 2;
  if constexpr (std::is_same_v<T, int64_t>) return 3;
  return 4;
}

template <class F, class... Ts>
constexpr void put(MathLoops& loops, UnaryFunction function, Types<Ts...>) {
  auto& row = loops.unary[static_cast<size_t>(function)];
  ((row[slot_of<Ts>()] = &unary_loop<F, Ts>), ...);
}

template <class F, class... Ts>
constexpr void put(MathLoops& loops, BinaryFunction function, Types<Ts...>) {
  auto& row = loops.binary[static_cast<size_t>(function)];
  ((row[slot_of<Ts>()] = {&BinaryLoop2<F, Ts>::both, &BinaryLoop2<F, Ts>::one_left,
                          &BinaryLoop2<F, Ts>::one_right}),
   ...);
}

constexpr void put_unary(MathLoops& loops) {
  using enum UnaryFunction;
  put<Abs>(loops, kAbs, Numbers());
  put<Neg>(loops, kNeg, Numbers());
  put<Sign>(loops, kSign, Numbers());
  put<Square>(loops, kSquare, Numbers());
  put<Sqrt>(loops, kSqrt, Floats());
  put<Rsqrt>(loops, kRsqrt, Floats());
  put<Exp>(loops, kExp, Types<double>());
  put<Expm1>(loops, kExpm1, Floats());
  put<Log>(loops, kLog, Types<double>());
  put<Log1p>(loops, kLog1p, Floats());
  put<Sin>(loops, kSin, Floats());
  put<Cos>(loops, kCos, Floats());
  put<Tan>(loops, kTan, Floats());
  put<Asin>(loops, kAsin, Floats());
  put<Acos>(loops, kAcos, Floats());
  put<Atan>(loops, kAtan, Floats());
  put<Sinh>(loops, kSinh, Floats());
  put<Cosh>(loops, kCosh, Floats());
  put<Tanh>(loops, kTanh, Types<double>());
  put<Sigmoid>(loops, kSigmoid, Types<double>());
  put<Erf>(loops, kErf, Floats());
  put<Erfc>(loops, kErfc, Floats());
  put<Reciprocal>(loops, kReciprocal, Floats());
  put<Floor>(loops, kFloor, Floats());
  put<Ceil>(loops, kCeil, Floats());
  put<Rint>(loops, kRint, Floats());
  put<Rint>(loops, kRound, Numbers());
  put<IsNan>(loops, kIsNan, Floats());
  put<IsInf>(loops, kIsInf, Floats());
  put<IsFinite>(loops, kIsFinite, Floats());
  put<LogicalNot>(loops, kLogicalNot, Truth());
}

constexpr void put_binary(MathLoops& loops) {
  using enum BinaryFunction;
  put<Add>(loops, kAdd, Numbers());
  put<Sub>(loops, kSub, Numbers());
  put<Mul>(loops, kMul, Numbers());
  put<Div>(loops, kDiv, Numbers());
  put<FloorDiv>(loops, kFloorDiv, Numbers());
  put<FloorMod>(loops, kFloorMod, Numbers());
  put<TruncateDiv>(loops, kTruncateDiv, Numbers());
  put<TruncateMod>(loops, kTruncateMod, Numbers());
  put<Mod>(loops, kMod, Numbers());
  put<DivNoNan>(loops, kDivNoNan, Floats());
  put<Maximum>(loops, kMaximum, Numbers());
  put<Minimum>(loops, kMinimum, Numbers());
  put<Pow>(loops, kPow, Numbers());
  put<SquaredDifference>(loops, kSquaredDifference, Numbers());
  put<Atan2>(loops, kAtan2, Floats());
  put<SigmoidGrad>(loops, kSigmoidGrad, Floats());
  put<TanhGrad>(loops, kTanhGrad, Floats());
  put<SqrtGrad>(loops, kSqrtGrad, Floats());
  put<RsqrtGrad>(loops, kRsqrtGrad, Floats());
  put<ReciprocalGrad>(loops, kReciprocalGrad, Floats());
  put<Equal>(loops, kEqual, Anything());
  put<NotEqual>(loops, kNotEqual, Anything());
  put<Less>(loops, kLess, Numbers());
  put<LessEqual>(loops, kLessEqual, Numbers());
  put<Greater>(loops, kGreater, Numbers());
  put<GreaterEqual>(loops, kGreaterEqual, Numbers());
  put<LogicalAnd>(loops, kLogicalAnd, Truth());
  put<LogicalOr>(loops, kLogicalOr, Truth());
}

constexpr void put_vector_functions(MathLoops& loops) {
  const auto put_float = [&](UnaryFunction function, UnaryLoop loop) {
    loops.unary[static_cast<size_t>(function)][slot_of<float>()] = loop;
  };
  put_float(UnaryFunction::kExp, &vector_loop<VectorExp>);
  put_float(UnaryFunction::kLog, &vector_loop<VectorLog>);
  put_float(UnaryFunction::kTanh, &vector_loop<VectorTanh>);
  put_float(UnaryFunction::kSigmoid, &vector_loop<VectorSigmoid>);
}

constexpr MathLoops all_math_loops() {
  MathLoops loops;
  put_unary(loops);
  put_vector_functions(loops);
  put_binary(loops);
  return loops;
}

}  // namespace

constinit const MathLoops kMathLoops = all_math_loops();

}  // namespace flowray::ops::FLOWRAY_LEVEL
