#pragma once
/// Copies n-dimensional blocks of elements between two strided layouts: what transposing, slicing, tiling,
/// reversing, splitting and concatenating come down to.

#include "core/parallel.h"

#include <flowray/dtype.h>

#include <array>
#include <cstdint>
#include <span>

namespace flowray::ops {

/// A copy made ready once and run many times, from many threads at once. It owns nothing and allocates
/// nothing, so that it can also be made inside a run where a slice's begin is known only then.
class StridedCopy {
 public:
  /// One loop: `size` steps of so many elements in the input and in the output (negative: backwards, 0: the
  /// same again).
  struct Dim {
    int64_t size = 1;
    int64_t in_stride = 0;
    int64_t out_stride = 0;
  };
  static constexpr int kMaxRank = 16;

  /// Copies nothing.
  StridedCopy() = default;
  /// Outermost loop first. The first element is at `in_offset` and `out_offset` elements from the pointers
  /// given to `run`. Throws UnimplementedError for more than kMaxRank loops that cannot be joined, or a dtype
  /// without elements.
  StridedCopy(DType dtype, std::span<const Dim> dims, int64_t in_offset = 0, int64_t out_offset = 0);

  /// `in` and `out` point at elements of the dtype and do not overlap.
  void run(const void* in, void* out, Parallel& parallel) const { run_(*this, in, out, parallel); }

  /// Loops left after joining those that are one walk through memory, and those that step once.
  int rank() const { return rank_; }
  const Dim& dim(int i) const { return dims_[static_cast<size_t>(i)]; }

 private:
  /// How the innermost loops are done.
  enum class Inner { kRow, kStrided, kTile };
  /// Indices of the outer loops, and the elements that they have moved the pointers by.
  struct Position;

  template <class W>
  static void run_words(const StridedCopy& copy, const void* in, void* out, Parallel& parallel);
  static void run_nothing(const StridedCopy&, const void*, void*, Parallel&) {}
  template <class W>
  void copy_pieces(const W* in, W* out, int64_t begin, int64_t end) const;
  template <class W>
  void copy_inner(const W* in, W* out, int64_t block) const;
  void add_joined(const Dim& dim);
  void choose_inner();

  std::array<Dim, kMaxRank> dims_{};
  int rank_ = 0;
  Inner inner_ = Inner::kRow;
  int64_t blocks_ = 1;      // of the second last loop, when the last two are done tile by tile
  int64_t num_pieces_ = 0;  // outer iterations times blocks
  int64_t piece_elements_ = 0;
  int64_t in_offset_ = 0;
  int64_t out_offset_ = 0;
  void (*run_)(const StridedCopy&, const void*, void*, Parallel&) = run_nothing;
};

}  // namespace flowray::ops
