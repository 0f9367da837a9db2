// The loops of MathLoops, written once and compiled once for each CpuLevel by math_loops.cpp.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/loops/loop_hints.h"
#include "ops/loops/math_functions_code.h"
#include "ops/loops/math_loops.h"
#include "ops/loops/portable_level.h"

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

/// Where T stands in MathLoops; -1 for those of kRareMathLoops.
template <class T>
constexpr int slot_of() {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, VectorF>) return 0;
  if constexpr (std::is_same_v<T, double>) return 1;
  if constexpr (std::is_same_v<T, int32_t>) return 2;
  if constexpr (std::is_same_v<T, int64_t>) return 3;
  if constexpr (std::is_same_v<T, bool>) return 4;
  return -1;
}

template <class F, class T>
constexpr void put_loop(MathLoops& loops, UnaryFunction function) {
  auto& row = loops.unary[static_cast<size_t>(function)];
  if constexpr (slot_of<T>() < 0)
    return;
  else if constexpr (std::is_same_v<T, VectorF>)
    row[slot_of<T>()] = &vector_loop<F>;
  else
    row[slot_of<T>()] = &unary_loop<F, T>;
}

template <class F, class... Ts>
constexpr void put(MathLoops& loops, UnaryFunction function, TypesOf<Ts...>) {
  (put_loop<F, Ts>(loops, function), ...);
}

template <class F, class... Ts>
constexpr void put(MathLoops& loops, BinaryFunction function, TypesOf<Ts...>) {
  auto& row = loops.binary[static_cast<size_t>(function)];
  ((row[slot_of<Ts>()] = {&BinaryLoop2<F, Ts>::both, &BinaryLoop2<F, Ts>::one_left,
                          &BinaryLoop2<F, Ts>::one_right}),
   ...);
}

constexpr void put_unary(MathLoops& loops) {
#define FLOWRAY_UNARY(name, ...) put<name>(loops, UnaryFunction::k##name, name::Types());
#include "ops/loops/unary_functions.h"
#undef FLOWRAY_UNARY
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

constexpr MathLoops all_math_loops() {
  MathLoops loops;
  put_unary(loops);
  put_binary(loops);
  return loops;
}

}  // namespace

constinit const MathLoops kMathLoops = all_math_loops();

}  // namespace flowray::ops::FLOWRAY_LEVEL
