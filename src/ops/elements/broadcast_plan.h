#pragma once
/// Walking operands that broadcast to one output, as few rows as can be, each row an inner loop over
/// contiguous elements.

#include <flowray/shape.h>

#include <array>
#include <cstdint>
#include <span>

namespace flowray::ops {

/// How up to three operands are read to fill an output in row-major order. Dimensions of size 1 are gone and
/// neighbouring ones that all operands treat alike are merged. A row is the innermost dimension that is left.
struct BroadcastPlan {
  static constexpr int kMaxOperands = 3;
  static constexpr int kMaxOuterDims = 8;
  using Offsets = std::array<int64_t, kMaxOperands>;

  /// Elements in a row.
  int64_t inner = 1;
  /// Whether operand k moves along the row; else its one element is repeated.
  std::array<bool, kMaxOperands> inner_moves = {true, true, true};
  /// Rows of the output: the product of `sizes`. 0 for an output without elements.
  int64_t rows = 1;
  int outer_rank = 0;
  /// Outer dimensions, outermost first, and by how many elements operand k moves along them (0: repeated).
  std::array<int64_t, kMaxOuterDims> sizes = {};
  std::array<Offsets, kMaxOuterDims> steps = {};

  /// Where the operands of row `row` start, in elements.
  Offsets offsets_of(int64_t row) const;

  /// Calls body(row, offsets) for begin <= row < end.
  template <class Body>
  void for_rows(int64_t begin, int64_t end, Body body) const;
};

/// A plan for operands that broadcast to `output`; the shapes must be fully defined and fit. Throws
/// UnimplementedError "Broadcast between [..] and [..] is not supported yet." for patterns with more than
/// nine alternating dimensions.
BroadcastPlan plan_broadcast(const Shape& output, std::span<const Shape* const> operands);

template <class Body>
void BroadcastPlan::for_rows(int64_t begin, int64_t end, Body body) const {
  if (begin >= end) return;
  std::array<int64_t, kMaxOuterDims> index = {};
  int64_t rest = begin;
  for (int d = outer_rank - 1; d >= 0; --d) {
    index[d] = rest % sizes[d];
    rest /= sizes[d];
  }
  Offsets offsets = offsets_of(begin);
  for (int64_t row = begin; row < end; ++row) {
    body(row, offsets);
    for (int d = outer_rank - 1; d >= 0; --d) {
      for (int k = 0; k < kMaxOperands; ++k) offsets[k] += steps[d][k];
      if (++index[d] < sizes[d]) break;
      for (int k = 0; k < kMaxOperands; ++k) offsets[k] -= steps[d][k] * sizes[d];
      index[d] = 0;
    }
  }
}

}  // namespace flowray::ops
