// The loops of elementwise math for uint64 and complex numbers, with the instructions that every processor
// has: rare enough not to be compiled for each CpuLevel.

#include <complex>

#include "ops/loops/math_loops_code.h"

namespace flowray::ops {
namespace {

using namespace portable;

using Complex = TypesOf<std::complex<float>, std::complex<double>>;
using Unsigned = TypesOf<uint64_t>;

// ---- functions of two elements that are others than those of signed and real numbers

/// Divisors are not zero: `check` has looked. But they are read in place, and another process may have put a
/// zero there since, which must spoil the quotient only.
template <class T>
T divisor_of(T y) {
  return y == 0 ? T(1) : y;
}

struct UnsignedDiv : NoZero {
  template <class T>
  static T apply(T x, T y) {
    return x / divisor_of(y);
  }
};
struct UnsignedMod : NoZero {
  template <class T>
  static T apply(T x, T y) {
    return x % divisor_of(y);
  }
};
struct UnsignedTruncateDiv {
  template <class T>
  static void check(const T* y, int64_t count) {
    TruncateDiv::check(y, count);
  }
  template <class T>
  static T apply(T x, T y) {
    return x / divisor_of(y);
  }
};
struct ComplexDivNoNan {
  template <class T>
  static T apply(T x, T y) {
    return y == T(0) ? T(0) : x / y;
  }
};
struct ComplexSquaredDifference {
  template <class T>
  static T apply(T x, T y) {
    return std::conj(x - y) * (x - y);
  }
};

// ---- the table

/// Where T stands in kRareMathLoops; -1 for those of the other tables.
template <class T>
constexpr int rare_slot_of() {
  if constexpr (std::is_same_v<T, uint64_t>) return 0;
  if constexpr (std::is_same_v<T, std::complex<float>>) return 1;
  if constexpr (std::is_same_v<T, std::complex<double>>) return 2;
  return -1;
}

template <class F, class T>
constexpr void put_rare_loop(MathLoops& loops, UnaryFunction function) {
  if constexpr (rare_slot_of<T>() >= 0) {
    loops.unary[static_cast<size_t>(function)][rare_slot_of<T>()] = &unary_loop<F, T>;
  }
}

template <class F, class... Ts>
constexpr void put_rare(MathLoops& loops, UnaryFunction function, TypesOf<Ts...>) {
  (put_rare_loop<F, Ts>(loops, function), ...);
}

template <class F, class... Ts>
constexpr void put_rare(MathLoops& loops, BinaryFunction function, TypesOf<Ts...>) {
  auto& row = loops.binary[static_cast<size_t>(function)];
  ((row[rare_slot_of<Ts>()] = {&BinaryLoop2<F, Ts>::both, &BinaryLoop2<F, Ts>::one_left,
                               &BinaryLoop2<F, Ts>::one_right}),
   ...);
}

constexpr void put_rare_unary(MathLoops& loops) {
#define FLOWRAY_UNARY(name, ...) put_rare<name>(loops, UnaryFunction::k##name, name::Types());
#include "ops/loops/unary_functions.h"
#undef FLOWRAY_UNARY
}

// TensorFlow conjugates the output in these (and in no other gradient of its kind).
struct ComplexSqrtGrad {
  template <class T>
  static T apply(T y, T dy) {
    return SqrtGrad::apply(std::conj(y), dy);
  }
};
struct ComplexRsqrtGrad {
  template <class T>
  static T apply(T y, T dy) {
    return RsqrtGrad::apply(std::conj(y), dy);
  }
};
struct ComplexReciprocalGrad {
  template <class T>
  static T apply(T y, T dy) {
    return ReciprocalGrad::apply(std::conj(y), dy);
  }
};

constexpr void put_rare_binary(MathLoops& loops) {
  using enum BinaryFunction;
  put_rare<Add>(loops, kAdd, Unsigned());
  put_rare<Sub>(loops, kSub, Unsigned());
  put_rare<Mul>(loops, kMul, Unsigned());
  put_rare<UnsignedDiv>(loops, kDiv, Unsigned());
  put_rare<UnsignedDiv>(loops, kFloorDiv, Unsigned());
  put_rare<UnsignedMod>(loops, kFloorMod, Unsigned());
  put_rare<UnsignedTruncateDiv>(loops, kTruncateDiv, Unsigned());
  put_rare<UnsignedMod>(loops, kMod, Unsigned());
  put_rare<Maximum>(loops, kMaximum, Unsigned());
  put_rare<Minimum>(loops, kMinimum, Unsigned());
  put_rare<Equal>(loops, kEqual, Unsigned());
  put_rare<NotEqual>(loops, kNotEqual, Unsigned());
  put_rare<Less>(loops, kLess, Unsigned());
  put_rare<LessEqual>(loops, kLessEqual, Unsigned());
  put_rare<Greater>(loops, kGreater, Unsigned());
  put_rare<GreaterEqual>(loops, kGreaterEqual, Unsigned());
  put_rare<Add>(loops, kAdd, Complex());
  put_rare<Sub>(loops, kSub, Complex());
  put_rare<Mul>(loops, kMul, Complex());
  put_rare<Div>(loops, kDiv, Complex());
  put_rare<ComplexDivNoNan>(loops, kDivNoNan, Complex());
  put_rare<ComplexSquaredDifference>(loops, kSquaredDifference, Complex());
  put_rare<Pow>(loops, kPow, Complex());
  put_rare<SigmoidGrad>(loops, kSigmoidGrad, Complex());
  put_rare<TanhGrad>(loops, kTanhGrad, Complex());
  put_rare<ComplexSqrtGrad>(loops, kSqrtGrad, Complex());
  put_rare<ComplexRsqrtGrad>(loops, kRsqrtGrad, Complex());
  put_rare<ComplexReciprocalGrad>(loops, kReciprocalGrad, Complex());
  put_rare<Equal>(loops, kEqual, Complex());
  put_rare<NotEqual>(loops, kNotEqual, Complex());
}

constexpr MathLoops rare_math_loops() {
  MathLoops loops;
  put_rare_unary(loops);
  put_rare_binary(loops);
  return loops;
}

}  // namespace

constinit const MathLoops kRareMathLoops = rare_math_loops();

}  // namespace flowray::ops
