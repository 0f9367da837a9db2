#include "ops/elements/strided_copy.h"

#include "ops/elements/element_words.h"

#include <flowray/errors.h>

#include <algorithm>
#include <string>

namespace flowray::ops {
namespace {

/// Side of the tiles that a transposition goes by: sixteen rows of 64 bytes stay in the first-level cache.
constexpr int64_t kTile = 16;
/// Below so many elements a thread is not worth waking.
constexpr int64_t kMinElementsPerWorker = 16384;

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

/// Walks over the outer loops like an odometer.
struct StridedCopy::Position {
  std::array<int64_t, kMaxRank> index;
  int num_dims;
  int64_t in = 0;
  int64_t out = 0;

  Position(const std::array<Dim, kMaxRank>& dims, int num_outer, int64_t flat) : num_dims(num_outer) {
    for (int i = num_outer - 1; i >= 0; --i) {
      const Dim& dim = dims[static_cast<size_t>(i)];
      index[static_cast<size_t>(i)] = flat % dim.size;
      flat /= dim.size;
      in += index[static_cast<size_t>(i)] * dim.in_stride;
      out += index[static_cast<size_t>(i)] * dim.out_stride;
    }
  }

  void next(const std::array<Dim, kMaxRank>& dims) {
    for (int i = num_dims - 1; i >= 0; --i) {
      const Dim& dim = dims[static_cast<size_t>(i)];
      int64_t& at = index[static_cast<size_t>(i)];
      in += dim.in_stride;
      out += dim.out_stride;
      if (++at < dim.size) return;
      in -= dim.size * dim.in_stride;
      out -= dim.size * dim.out_stride;
      at = 0;
    }
  }
};

StridedCopy::StridedCopy(DType dtype, std::span<const Dim> dims, int64_t in_offset, int64_t out_offset)
    : in_offset_(in_offset), out_offset_(out_offset) {
  if (!dispatch_words(dtype, [&]<class W>() { run_ = run_words<W>; })) {
    throw errors::UnimplementedError("Elements of " + dtype_name(dtype) + " cannot be moved");
  }
  for (const Dim& dim : dims) {
    if (dim.size == 0) {
      run_ = run_nothing;
      rank_ = 0;
      return;
    }
  }
  for (const Dim& dim : dims) add_joined(dim);
  if (rank_ == 0) dims_[static_cast<size_t>(rank_++)] = {1, 1, 1};
  choose_inner();
}

void StridedCopy::add_joined(const Dim& dim) {
  if (dim.size == 1) return;
  if (rank_ > 0) {
    Dim& outer = dims_[static_cast<size_t>(rank_ - 1)];
    if (outer.in_stride == dim.in_stride * dim.size && outer.out_stride == dim.out_stride * dim.size) {
      outer = {outer.size * dim.size, dim.in_stride, dim.out_stride};
      return;
    }
  }
  if (rank_ == kMaxRank) {
    throw errors::UnimplementedError("Arrays of more than " + std::to_string(kMaxRank) +
                                     " dimensions cannot be rearranged like this");
  }
  dims_[static_cast<size_t>(rank_++)] = dim;
}

void StridedCopy::choose_inner() {
  const Dim& last = dims_[static_cast<size_t>(rank_ - 1)];
  inner_ = last.in_stride == 1 && last.out_stride == 1 ? Inner::kRow : Inner::kStrided;
  if (inner_ == Inner::kStrided && last.out_stride == 1) {
    // The input is read along another loop: a transposition. That loop becomes the second last one.
    for (int i = 0; i + 1 < rank_; ++i) {
      if (dims_[static_cast<size_t>(i)].in_stride != 1) continue;
      std::rotate(dims_.begin() + i, dims_.begin() + i + 1, dims_.begin() + rank_ - 1);
      inner_ = Inner::kTile;
      break;
    }
  }
  num_pieces_ = 1;
  const int num_outer = rank_ - (inner_ == Inner::kTile ? 2 : 1);
  for (int i = 0; i < num_outer; ++i) num_pieces_ *= dims_[static_cast<size_t>(i)].size;
  piece_elements_ = dims_[static_cast<size_t>(rank_ - 1)].size;
  if (inner_ == Inner::kTile) {
    const int64_t rows = dims_[static_cast<size_t>(rank_ - 2)].size;
    blocks_ = divide_up(rows, kTile);
    num_pieces_ *= blocks_;
    piece_elements_ *= std::min(rows, kTile);
  }
}

template <class W>
void StridedCopy::copy_inner(const W* in, W* out, int64_t block) const {
  const Dim& last = dims_[static_cast<size_t>(rank_ - 1)];
  switch (inner_) {
    case Inner::kRow:
      copy_words(in, out, last.size);
      return;
    case Inner::kStrided:
      for (int64_t i = 0; i < last.size; ++i) out[i * last.out_stride] = in[i * last.in_stride];
      return;
    case Inner::kTile: {
      const Dim& rows = dims_[static_cast<size_t>(rank_ - 2)];
      const int64_t first = block * kTile;
      const int64_t end = std::min(first + kTile, rows.size);
      for (int64_t column = 0; column < last.size; column += kTile) {
        const int64_t column_end = std::min(column + kTile, last.size);
        for (int64_t row = first; row < end; ++row) {
          W* const to = out + row * rows.out_stride;
          const W* const from = in + row;
          for (int64_t i = column; i < column_end; ++i) to[i] = from[i * last.in_stride];
        }
      }
      return;
    }
  }
}

template <class W>
void StridedCopy::copy_pieces(const W* in, W* out, int64_t begin, int64_t end) const {
  const int num_outer = rank_ - (inner_ == Inner::kTile ? 2 : 1);
  Position position(dims_, num_outer, begin / blocks_);
  int64_t block = begin % blocks_;
  for (int64_t piece = begin; piece < end; ++piece) {
    copy_inner(in + position.in, out + position.out, block);
    if (++block == blocks_) {
      block = 0;
      position.next(dims_);
    }
  }
}

template <class W>
void StridedCopy::run_words(const StridedCopy& copy, const void* in, void* out, Parallel& parallel) {
  const W* const from = static_cast<const W*>(in) + copy.in_offset_;
  W* const to = static_cast<W*>(out) + copy.out_offset_;
  if (copy.num_pieces_ == 1 || copy.num_pieces_ * copy.piece_elements_ < 2 * kMinElementsPerWorker) {
    copy.copy_pieces(from, to, 0, copy.num_pieces_);
    return;
  }
  const int64_t min_pieces = divide_up(kMinElementsPerWorker, copy.piece_elements_);
  parallel.for_range(copy.num_pieces_, min_pieces,
                     [&](int64_t begin, int64_t end, int) { copy.copy_pieces(from, to, begin, end); });
}

}  // namespace flowray::ops
