// The code of TileProduct and DotRows, written once over a vector type and compiled once for each
// CpuLevel (inner_loops_code.h).
//
// g++ 12 spills the sums when it is left to choose registers and addresses for plain vector code (54-62% of
// the peak); a vector type whose multiply-add and broadcast are single instructions of inline assembly
// reaches 90-97%. A vector type V has, beside the obvious:
//
//   kPanelVectors                      most vectors side by side in a tile
//   kTileRows[n - 1]                   most rows of a tile of n vectors
//   broadcast_at<Rows, Offset>(b, r)   the float at b[Rows * r + Offset], Rows in 0..2, in every lane
//   multiply_add_at<...>(s, f, b, r)   s += f * that

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "ops/loops/inner_loops.h"
#include "ops/loops/loop_hints.h"
#include "ops/loops/portable_level.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

/// Calls body.operator()<I>() for I = 0 .. N - 1, without a loop at any optimisation level that inlines.
template <int N, typename Body>
FLOWRAY_INLINE void unrolled(Body body) {
  [&]<int... I>(std::integer_sequence<int, I...>)
      FLOWRAY_INLINE_LAMBDA { (body.template operator()<I>(), ...); }(std::make_integer_sequence<int, N>{});
}

/// Where a tile starts: its first row of A, first column of B and corner of C, with the columns that are
/// left there.
struct TilePlace {
  const float* a;
  const float* b;
  float* c;
  const float* bias;
  int64_t columns;
};

/// The rows of A in a tile. Rows that lie one float apart need one pointer; others one for each three,
/// because an x86 address reaches base, base + row and base + 2 * row.
template <int kRows, bool kUnitRows>
class TileRows {
 public:
  FLOWRAY_INLINE TileRows(const float* a, int64_t row) : row_(row) {
    for (int i = 0; i < kBases; ++i) bases_[i] = a + 3 * i * row;
  }

  FLOWRAY_INLINE void advance(int64_t floats) {
    unrolled<kBases>([&]<int I>() FLOWRAY_INLINE_LAMBDA { bases_[I] += floats; });
  }

  template <typename V, int kRow, int kOffset>
  FLOWRAY_INLINE typename V::Register broadcast() const {
    if constexpr (kUnitRows)
      return V::template broadcast_at<0, kRow + kOffset>(bases_[0], row_);
    else
      return V::template broadcast_at<kRow % 3, kOffset>(bases_[kRow / 3], row_);
  }

  template <typename V, int kRow, int kOffset>
  FLOWRAY_INLINE void multiply_add(typename V::Register& sum, typename V::Register factor) const {
    if constexpr (kUnitRows)
      V::template multiply_add_at<0, kRow + kOffset>(sum, factor, bases_[0], row_);
    else
      V::template multiply_add_at<kRow % 3, kOffset>(sum, factor, bases_[kRow / 3], row_);
  }

 private:
  static constexpr int kBases = kUnitRows ? 1 : (kRows + 2) / 3;
  const float* bases_[kBases];
  int64_t row_;
};

/// One step of the sum: the outer product of a column of A (kRows floats) and a row of B (kVectors vectors).
template <typename V, int kRows, int kVectors, bool kUnitRows, int kOffset>
FLOWRAY_INLINE void tile_step(typename V::Register (&sums)[kRows][kVectors],
                              const TileRows<kRows, kUnitRows>& a, const float* b) {
  using Register = typename V::Register;
  Register factors[kVectors];
  unrolled<kVectors>([&]<int J>() FLOWRAY_INLINE_LAMBDA { factors[J] = V::load(b + J * V::kWidth); });
  unrolled<kRows>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
    if constexpr (kVectors == 1) {
      a.template multiply_add<V, I, kOffset>(sums[I][0], factors[0]);
    } else {
      const Register x = a.template broadcast<V, I, kOffset>();
      unrolled<kVectors>([&]<int J>() FLOWRAY_INLINE_LAMBDA { V::multiply_add(sums[I][J], x, factors[J]); });
    }
  });
}

/// Adds up all runs of a tile.
template <typename V, int kRows, int kVectors, bool kUnitRows>
FLOWRAY_INLINE void tile_sums(typename V::Register (&sums)[kRows][kVectors], const TileProduct& p,
                              const TilePlace& place) {
  const int64_t b_step = p.b_step;
  for (const TileRun *run = p.runs, *end = p.runs + p.run_count; run != end; ++run) {
    TileRows<kRows, kUnitRows> a(place.a + run->a, p.a_row);
    const float* b = place.b + run->b_row * b_step;
    int64_t k = p.run_length;
    if constexpr (kUnitRows) {
      for (; k > 0; --k) {
        tile_step<V, kRows, kVectors, kUnitRows, 0>(sums, a, b);
        a.advance(p.a_step);
        b += b_step;
      }
    } else {
      for (; k >= 4; k -= 4) {
        unrolled<4>([&]<int U>() FLOWRAY_INLINE_LAMBDA {
          tile_step<V, kRows, kVectors, kUnitRows, U>(sums, a, b + U * b_step);
        });
        a.advance(4);
        b += 4 * b_step;
      }
      for (; k > 0; --k) {
        tile_step<V, kRows, kVectors, kUnitRows, 0>(sums, a, b);
        a.advance(1);
        b += b_step;
      }
    }
  }
}

/// Brings finished sums [rows][vectors * width] to C where a plain store would not do. Not inlined: with more
/// code in the function that adds up, g++ keeps the sums in memory.
template <typename V>
FLOWRAY_NOT_INLINE void finish_tile(const TileProduct& p, const TilePlace& place, const float* sums, int rows,
                                    int vectors) {
  using Register = typename V::Register;
  for (int i = 0; i < rows; ++i) {
    float* c = place.c + i * p.c_row;
    for (int j = 0; j < vectors; ++j, sums += V::kWidth) {
      const int64_t column = j * V::kWidth;
      const int64_t count = std::min<int64_t>(V::kWidth, place.columns - column);
      Register sum = V::load(sums);
      if (p.add_to_c) sum += V::load_first(c + column, count);
      if (place.bias != nullptr) sum += V::load_first(place.bias + column, count);
      if (p.relu) sum = V::maximum(V::broadcast(0.0f), sum);
      V::store_first(c + column, sum, count);
    }
  }
}

template <typename V, int kRows, int kVectors, bool kUnitRows>
FLOWRAY_TILE void multiply_tile(const TileProduct& p, const TilePlace& place) {
  using Register = typename V::Register;
  Register sums[kRows][kVectors];
  unrolled<kRows * kVectors>(
      [&]<int I>() FLOWRAY_INLINE_LAMBDA { sums[I / kVectors][I % kVectors] = V::broadcast(0.0f); });
  tile_sums<V, kRows, kVectors, kUnitRows>(sums, p, place);
  if (place.columns >= kVectors * V::kWidth && place.bias == nullptr && !p.relu) {
    float* c = place.c;
    unrolled<kRows>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
      unrolled<kVectors>([&]<int J>() FLOWRAY_INLINE_LAMBDA {
        if (p.add_to_c) sums[I][J] += V::load(c + J * V::kWidth);
        V::store(c + J * V::kWidth, sums[I][J]);
      });
      c += p.c_row;
    });
    return;
  }
  alignas(64) float scratch[kRows * kVectors * V::kWidth];
  unrolled<kRows * kVectors>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
    V::store(scratch + I * V::kWidth, sums[I / kVectors][I % kVectors]);
  });
  finish_tile<V>(p, place, scratch, kRows, kVectors);
}

using MultiplyTile = void (*)(const TileProduct&, const TilePlace&);

/// All tiles of kVectors vectors: entry r - 1 has r rows.
template <typename V, int kVectors, bool kUnitRows>
constexpr auto kTiles = []<int... I>(std::integer_sequence<int, I...>) {
  return std::array<MultiplyTile, sizeof...(I)>{multiply_tile<V, I + 1, kVectors, kUnitRows>...};
}(std::make_integer_sequence<int, V::kTileRows[kVectors - 1]>{});

/// The tiles for every width of panel: entry n - 1 is the table for n vectors.
template <typename V, bool kUnitRows>
constexpr auto kPanels = []<int... I>(std::integer_sequence<int, I...>) {
  return std::array<const MultiplyTile*, sizeof...(I)>{kTiles<V, I + 1, kUnitRows>.data()...};
}(std::make_integer_sequence<int, V::kPanelVectors>{});

/// Splits `total` into parts of at most `most`, as even as can be: the size of the part that comes next.
FLOWRAY_INLINE int64_t next_part(int64_t total, int64_t most) {
  if (total <= most) return total;
  const int64_t parts = (total + most - 1) / most;
  return (total + parts - 1) / parts;
}

template <typename V>
void multiply(const TileProduct& p) {
  const auto& panels = p.a_row == 1 ? kPanels<V, true> : kPanels<V, false>;
  int64_t vectors_left = (p.columns + V::kWidth - 1) / V::kWidth;
  for (int64_t column = 0; vectors_left > 0;) {
    const int64_t vectors = next_part(vectors_left, V::kPanelVectors);
    const MultiplyTile* tiles = panels[vectors - 1];
    const int64_t most_rows = V::kTileRows[vectors - 1];
    TilePlace place{p.a, p.b + column, p.c + column, p.bias == nullptr ? nullptr : p.bias + column,
                    p.columns - column};
    for (int64_t rows_left = p.rows; rows_left > 0;) {
      const int64_t rows = next_part(rows_left, most_rows);
      tiles[rows - 1](p, place);
      place.a += rows * p.a_row;
      place.c += rows * p.c_row;
      rows_left -= rows;
    }
    column += vectors * V::kWidth;
    vectors_left -= vectors;
  }
}

/// The inner products of kRows rows with the vector.
template <typename V, int kRows>
FLOWRAY_INLINE void dot_rows_together(const DotRows& d, int64_t row) {
  typename V::Register sums[kRows];
  unrolled<kRows>([&]<int I>() FLOWRAY_INLINE_LAMBDA { sums[I] = V::broadcast(0.0f); });
  const float* matrix = d.matrix + row * d.length;
  int64_t k = 0;
  for (; k + V::kWidth <= d.length; k += V::kWidth) {
    const auto x = V::load(d.vector + k);
    unrolled<kRows>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
      V::multiply_add(sums[I], V::load(matrix + I * d.length + k), x);
    });
  }
  if (k < d.length) {
    const auto x = V::load_first(d.vector + k, d.length - k);
    unrolled<kRows>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
      V::multiply_add(sums[I], V::load_first(matrix + I * d.length + k, d.length - k), x);
    });
  }
  unrolled<kRows>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
    alignas(64) float lanes[V::kWidth];
    V::store(lanes, sums[I]);
    float sum = d.add_to_out ? d.out[row + I] : 0.0f;
    for (const float lane : lanes) sum += lane;
    d.out[row + I] = sum;
  });
}

template <typename V>
void dot_rows(const DotRows& d) {
  int64_t row = 0;
  for (; row + 4 <= d.rows; row += 4) dot_rows_together<V, 4>(d, row);
  for (; row < d.rows; ++row) dot_rows_together<V, 1>(d, row);
}

}  // namespace
}  // namespace flowray::ops::FLOWRAY_LEVEL
