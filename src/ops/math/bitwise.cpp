// Operations on the bits of integers.

#include "graph/shape_context.h"
#include "ops/elements/pointwise.h"
#include "ops/math/register.h"

#include <bit>

namespace flowray::ops {
namespace {

struct BitAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct BitInvert {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};

/// C++ leaves open what shifting by fewer than 0 bits or by all of them gives: TensorFlow takes the nearest
/// that is defined.
template <class T>
int bits_to_shift(T by) {
  constexpr int kMost = static_cast<int>(sizeof(T)) * 8 - 1;
  if (by < T(0)) return 0;
  return by > static_cast<T>(kMost) ? kMost : static_cast<int>(by);
}
struct ShiftLeft {
  template <class T>
  static T apply(T a, T by) {
    return static_cast<T>(static_cast<uint64_t>(a) << bits_to_shift(by));
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, T by) {
    return static_cast<T>(a >> bits_to_shift(by));
  }
};
struct CountOnes {
  template <class T>
  static uint8_t apply(T a) {
    return static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};

constexpr graph::OpRow binary_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "x:T, y:T",
          .outputs = "z:T",
          .attrs = "T:type{integers}",
          .shape = graph::broadcast_shape,
          .not_differentiable = true,
          .prepare = prepare};
}

constexpr graph::OpRow kBinary[] = {
    binary_row("BitwiseAnd", prepare_pointwise<BitAnd, IntegerTypes, 2>),
    binary_row("BitwiseOr", prepare_pointwise<BitOr, IntegerTypes, 2>),
    binary_row("BitwiseXor", prepare_pointwise<BitXor, IntegerTypes, 2>),
    binary_row("LeftShift", prepare_pointwise<ShiftLeft, IntegerTypes, 2>),
    binary_row("RightShift", prepare_pointwise<ShiftRight, IntegerTypes, 2>),
};

constexpr graph::OpRow kBitwiseOps[] = {
    {.name = "Invert",
     .inputs = "x:T",
     .outputs = "y:T",
     .attrs = "T:type{integers}",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .prepare = prepare_pointwise<BitInvert, IntegerTypes, 1>},
    {.name = "PopulationCount",
     .inputs = "x:T",
     .outputs = "y:uint8",
     .attrs = "T:type{integers}",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .prepare = prepare_pointwise<CountOnes, IntegerTypes, 1>},
};

}  // namespace

void register_bitwise_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kBinary) table.add(row);
  for (const graph::OpRow& row : kBitwiseOps) table.add(row);
}

}  // namespace flowray::ops
