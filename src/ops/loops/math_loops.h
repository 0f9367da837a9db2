#pragma once
/// The innermost loops of elementwise math over contiguous elements: one function for each operation, element
/// type and CpuLevel. Kernels and fused chains are made of them.

#include <flowray/dtype.h>

#include <array>
#include <cstdint>

#include "ops/loops/cpu_level.h"

namespace flowray::ops {

/// y = f(x), one for each function of unary_functions.h.
enum class UnaryFunction : uint8_t {
#define FLOWRAY_UNARY(name, ...) k##name,
#include "ops/loops/unary_functions.h"
#undef FLOWRAY_UNARY
};
inline constexpr int kUnaryFunctions = 0
#define FLOWRAY_UNARY(...) +1
#include "ops/loops/unary_functions.h"
#undef FLOWRAY_UNARY
    ;

/// z = f(x, y). From kEqual to kGreaterEqual the result is bool; kLogicalAnd and kLogicalOr take and
/// give bool.
enum class BinaryFunction : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,  // of integers: towards zero
  kFloorDiv,
  kFloorMod,
  kTruncateDiv,
  kTruncateMod,
  kMod,  // the same, but for what is said of zero
  kDivNoNan,
  kMaximum,
  kMinimum,
  kPow,
  kSquaredDifference,
  kAtan2,
  kSigmoidGrad,  // of the output y and its gradient dy, as the four that follow
  kTanhGrad,
  kSqrtGrad,
  kRsqrtGrad,
  kReciprocalGrad,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLogicalAnd,
  kLogicalOr,
};
inline constexpr int kBinaryFunctions = static_cast<int>(BinaryFunction::kLogicalOr) + 1;

/// y[i] = f(x[i]) for i < count. y may be x.
using UnaryLoop = void (*)(const void* x, void* y, int64_t count);
/// z[i] = f(x[i], y[i]) for i < count. z may be x or y. Throws errors::InvalidArgumentError where integers do
/// not allow the operation (division by zero, negative powers).
using BinaryLoop = void (*)(const void* x, const void* y, void* z, int64_t count);

/// Null where the element type has no such operation.
struct BinaryLoops {
  BinaryLoop both = nullptr;
  BinaryLoop one_left = nullptr;   ///< x has one element, used for all.
  BinaryLoop one_right = nullptr;  ///< y has one element, used for all.
};

/// Loops by operation and element type (float32, float64, int32, int64, bool); kRareMathLoops has others.
struct MathLoops {
  static constexpr int kTypes = 5;
  std::array<std::array<UnaryLoop, kTypes>, kUnaryFunctions> unary = {};
  std::array<std::array<BinaryLoops, kTypes>, kBinaryFunctions> binary = {};

  /// Null if there is none. Those of uint64 and complex numbers are the same for every level.
  UnaryLoop find(UnaryFunction function, DType dtype) const;
  BinaryLoops find(BinaryFunction function, DType dtype) const;
};

/// The loops for `level`, which must not be above highest_cpu_level().
const MathLoops& math_loops(CpuLevel level);

/// About how many elements keep one thread busy long enough to be worth waking another.
int64_t elements_per_worker(UnaryFunction function);
int64_t elements_per_worker(BinaryFunction function);

[[noreturn]] void throw_division_by_zero();
[[noreturn]] void throw_truncated_division_by_zero();
[[noreturn]] void throw_negative_power();

/// By operation and element type (uint64, complex64, complex128).
extern const MathLoops kRareMathLoops;

}  // namespace flowray::ops
