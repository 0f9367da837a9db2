// The loops of elementwise math for uint64 and complex numbers, with the instructions that every processor
// has: rare enough not to be compiled for each CpuLevel.

#include <complex>

#include "ops/loops/math_loops_code.h"

namespace flowray::ops {
namespace {

using namespace portable;

using Complex = Types<std::complex<float>, std::complex<double>>;
using Unsigned = Types<uint64_t>;

// ---- functions that are others than those of signed and real numbers

struct UnsignedDiv : NoZero {
  template <class T>
  static T apply(T x, T y) {
    return x / y;
  }
};
struct UnsignedMod : NoZero {
  template <class T>
  static T apply(T x, T y) {
    return x % y;
  }
};
struct UnsignedTruncateDiv {
  template <class T>
  static void check(const T* y, int64_t count) {
    TruncateDiv::check(y, count);
  }
  template <class T>
  static T apply(T x, T y) {
    return x / y;
  }
};
struct UnsignedSign {
  static uint64_t apply(uint64_t x) { return x > 0 ? 1 : 0; }
};
struct ComplexSign {
  template <class T>
  static T apply(T x) {
    return x == T(0) ? T(0) : x / std::abs(x);
  }
};
struct ComplexRound {
  template <class T>
  static T apply(T x) {
    return {std::nearbyint(x.real()), std::nearbyint(x.imag())};
  }
};
struct ComplexSigmoid {
  template <class T>
  static T apply(T x) {
    return T(1) / (T(1) + std::exp(-x));
  }
};
// Without the loss of digits that exp(x) - 1 and log(1 + x) have next to zero.
struct ComplexExpm1 {
  template <class T>
  static T apply(T x) {
    const T e = std::exp(x);
    if (e == T(1)) return x;
    const T less = e - T(1);
    return less == T(-1) ? T(-1) : less * x / std::log(e);
  }
};
struct ComplexLog1p {
  template <class T>
  static T apply(T x) {
    const T more = T(1) + x;
    return more == T(1) ? x : x * (std::log(more) / (more - T(1)));
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

template <class T>
constexpr size_t rare_slot_of() {
  if constexpr (std::is_same_v<T, uint64_t>) return 0;
  if constexpr (std::is_same_v<T, std::complex<float>>) return 1;
  return 2;
}

template <class F, class... Ts>
constexpr void put_rare(MathLoops& loops, UnaryFunction function, Types<Ts...>) {
  auto& row = loops.unary[static_cast<size_t>(function)];
  ((row[rare_slot_of<Ts>()] = &unary_loop<F, Ts>), ...);
}

template <class F, class... Ts>
constexpr void put_rare(MathLoops& loops, BinaryFunction function, Types<Ts...>) {
  auto& row = loops.binary[static_cast<size_t>(function)];
  ((row[rare_slot_of<Ts>()] = {&BinaryLoop2<F, Ts>::both, &BinaryLoop2<F, Ts>::one_left,
                               &BinaryLoop2<F, Ts>::one_right}),
   ...);
}

constexpr void put_rare_unary(MathLoops& loops) {
  using enum UnaryFunction;
  put_rare<Neg>(loops, kNeg, Unsigned());
  put_rare<Square>(loops, kSquare, Unsigned());
  put_rare<UnsignedSign>(loops, kSign, Unsigned());
  put_rare<Neg>(loops, kNeg, Complex());
  put_rare<Square>(loops, kSquare, Complex());
  put_rare<ComplexSign>(loops, kSign, Complex());
  put_rare<ComplexRound>(loops, kRound, Complex());
  put_rare<Sqrt>(loops, kSqrt, Complex());
  put_rare<Rsqrt>(loops, kRsqrt, Complex());
  put_rare<Reciprocal>(loops, kReciprocal, Complex());
  put_rare<Exp>(loops, kExp, Complex());
  put_rare<ComplexExpm1>(loops, kExpm1, Complex());
  put_rare<Log>(loops, kLog, Complex());
  put_rare<ComplexLog1p>(loops, kLog1p, Complex());
  put_rare<Sin>(loops, kSin, Complex());
  put_rare<Cos>(loops, kCos, Complex());
  put_rare<Tan>(loops, kTan, Complex());
  put_rare<Asin>(loops, kAsin, Complex());
  put_rare<Acos>(loops, kAcos, Complex());
  put_rare<Atan>(loops, kAtan, Complex());
  put_rare<Sinh>(loops, kSinh, Complex());
  put_rare<Cosh>(loops, kCosh, Complex());
  put_rare<Tanh>(loops, kTanh, Complex());
  put_rare<ComplexSigmoid>(loops, kSigmoid, Complex());
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
