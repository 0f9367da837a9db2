#include "ops/loops/math_loops.h"

#include <flowray/errors.h>

#define FLOWRAY_LOOPS "ops/loops/math_loops_code.h"
#include "ops/loops/each_level.h"

namespace flowray::ops {
namespace {

int type_slot(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 0;
    case DType::kFloat64:
      return 1;
    case DType::kInt32:
      return 2;
    case DType::kInt64:
      return 3;
    case DType::kBool:
      return 4;
    default:
      return -1;
  }
}

int rare_type_slot(DType dtype) {
  switch (dtype) {
    case DType::kUint64:
      return 0;
    case DType::kComplex64:
      return 1;
    case DType::kComplex128:
      return 2;
    default:
      return -1;
  }
}

constexpr int64_t kCheapElements = 32768;
constexpr int64_t kDearElements = 4096;

}  // namespace

UnaryLoop MathLoops::find(UnaryFunction function, DType dtype) const {
  if (const int rare = rare_type_slot(dtype); rare >= 0) {
    return kRareMathLoops.unary[static_cast<size_t>(function)][static_cast<size_t>(rare)];
  }
  const int slot = type_slot(dtype);
  return slot < 0 ? nullptr : unary[static_cast<size_t>(function)][static_cast<size_t>(slot)];
}

BinaryLoops MathLoops::find(BinaryFunction function, DType dtype) const {
  if (const int rare = rare_type_slot(dtype); rare >= 0) {
    return kRareMathLoops.binary[static_cast<size_t>(function)][static_cast<size_t>(rare)];
  }
  const int slot = type_slot(dtype);
  return slot < 0 ? BinaryLoops{} : binary[static_cast<size_t>(function)][static_cast<size_t>(slot)];
}

const MathLoops& math_loops(CpuLevel level) { return of_level(level, FLOWRAY_EVERY_LEVEL(kMathLoops)); }

void throw_division_by_zero() { throw errors::InvalidArgumentError("Integer division by zero"); }

void throw_truncated_division_by_zero() {
  // In the words of TensorFlow's loops of these ops.
  throw errors::InternalError(
      "Unexpected error in binary operator (only integer div and mod should have errors)\n"
      "Integer division by zero");
}

void throw_negative_power() {
  throw errors::InvalidArgumentError("Integers to negative integer powers are not allowed");
}

int64_t elements_per_worker(UnaryFunction function) {
  static constexpr int64_t kElements[] = {
#define FLOWRAY_UNARY(name, cost, ...) k##cost##Elements,
#include "ops/loops/unary_functions.h"
#undef FLOWRAY_UNARY
  };
  return kElements[static_cast<size_t>(function)];
}

int64_t elements_per_worker(BinaryFunction function) {
  switch (function) {
    case BinaryFunction::kPow:
    case BinaryFunction::kAtan2:
    case BinaryFunction::kFloorMod:
    case BinaryFunction::kTruncateMod:
    case BinaryFunction::kMod:
      return kDearElements;
    default:
      return kCheapElements;
  }
}

}  // namespace flowray::ops
