#pragma once

#include <cstdint>

namespace flowray::ops {

/// to[r * to_row + c] = from[r * from_row + c] for c < columns, and 0 for columns <= c < padded_columns.
void pack_rows(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to, int64_t to_row,
               int64_t padded_columns);

/// to[c * to_row + r] = from[r * from_row + c] for r < rows, and 0 for rows <= r < padded_rows; c < columns.
void pack_transposed(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to,
                     int64_t to_row, int64_t padded_rows);

/// `value` rounded up to a multiple of `unit`.
constexpr int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/// `total` over `part`, rounded up.
constexpr int64_t parts_of(int64_t total, int64_t part) { return (total + part - 1) / part; }

}  // namespace flowray::ops
