#include "ops/loops/pack.h"

#include <algorithm>
#include <cstring>

namespace flowray::ops {
namespace {

using Four = float __attribute__((vector_size(16)));

Four load_four(const float* p) {
  Four v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

void store_four(float* p, Four v) { std::memcpy(p, &v, sizeof v); }

/// Transposes a block of 4x4.
void transpose_block(const float* from, int64_t from_row, float* to, int64_t to_row) {
  const Four r0 = load_four(from);
  const Four r1 = load_four(from + from_row);
  const Four r2 = load_four(from + 2 * from_row);
  const Four r3 = load_four(from + 3 * from_row);
  const Four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  const Four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  const Four high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const Four high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  store_four(to, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
  store_four(to + to_row, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
  store_four(to + 2 * to_row, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
  store_four(to + 3 * to_row, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}

}  // namespace

void pack_rows(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to, int64_t to_row,
               int64_t padded_columns) {
  for (int64_t r = 0; r < rows; ++r, from += from_row, to += to_row) {
    std::copy_n(from, columns, to);
    std::fill(to + columns, to + padded_columns, 0.0f);
  }
}

void pack_transposed(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to,
                     int64_t to_row, int64_t padded_rows) {
  const int64_t block_rows = rows / 4 * 4;
  const int64_t block_columns = columns / 4 * 4;
  for (int64_t c = 0; c < block_columns; c += 4) {
    for (int64_t r = 0; r < block_rows; r += 4)
      transpose_block(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
  }
  for (int64_t c = 0; c < columns; ++c) {
    const int64_t first_row = c < block_columns ? block_rows : 0;
    for (int64_t r = first_row; r < rows; ++r) to[c * to_row + r] = from[r * from_row + c];
    std::fill(to + c * to_row + rows, to + c * to_row + padded_rows, 0.0f);
  }
}

}  // namespace flowray::ops
