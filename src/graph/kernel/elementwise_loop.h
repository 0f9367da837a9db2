#pragma once
/// How an elementwise kernel computes a piece of its output: what loops that run several kernels piece by
/// piece are made of.

#include <array>
#include <cstddef>
#include <cstdint>

namespace flowray::graph {

/// Which element of an input goes with element i of the output, in row-major order.
enum class Walk : uint8_t {
  kEach,      // i
  kOne,       // 0: one element for all
  kRepeated,  // i % period: one row for all rows
  kColumn,    // i / period: one element for each row, which the loop's caller writes out where rows are
              // short
  kRow,       // i * period and the period - 1 elements after it: a whole row for each element
};

struct ElementwiseLoop {
  static constexpr int kMostInputs = 4;
  using Unary = void (*)(const void* x, void* y, int64_t count);
  using Binary = void (*)(const void* x, const void* y, void* z, int64_t count);
  using Any = void (*)(const ElementwiseLoop& loop, const void* const* inputs, void* output, int64_t count);

  struct Input {
    Walk walk = Walk::kEach;
    uint32_t bytes = 0;  // of an element
  };

  /// One of the three, over `count` elements of the output. Of inputs that read_one() it reads one element,
  /// of the others `count`. The output may be an input that the kernel may be run in place of.
  Unary unary = nullptr;
  Binary binary = nullptr;
  Any any = nullptr;
  /// What `any` works with.
  void (*typed)() = nullptr;
  std::array<std::byte, 8> parameter = {};

  int num_inputs = 1;
  std::array<Input, kMostInputs> inputs = {};
  uint32_t out_bytes = 0;  // of an element
  /// Elements of the output.
  int64_t count = 0;
  /// The period of all inputs that are walked kRepeated, kColumn or kRow; 0 if there are none.
  int64_t period = 0;
  /// About how many elements are worth another thread.
  int64_t elements_per_worker = 1;

  /// A call for each row of fewer elements would cost more than to write columns out.
  static constexpr int64_t kShortRow = 64;

  bool reads_one(size_t input) const {
    const Walk walk = inputs[input].walk;
    return walk == Walk::kOne || (walk == Walk::kColumn && period >= kShortRow);
  }

  void run(const void* const* in, void* out, int64_t number) const {
    if (binary != nullptr) return binary(in[0], in[1], out, number);
    if (unary != nullptr) return unary(in[0], out, number);
    any(*this, in, out, number);
  }
};

}  // namespace flowray::graph
