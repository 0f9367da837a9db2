#pragma once

// Matrix multiplication for any arithmetic type: loops that a compiler can vectorise, nothing more.

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "core/wrapping.h"
#include "ops/loops/gemm.h"

namespace flowray::ops {

/// a * b + c
template <typename T>
constexpr T multiply_add(T a, T b, T c) {
  return wrapping_add(wrapping_multiply(a, b), c);
}

/// Row `i` of C.
template <typename T>
void multiply_row_plainly(const GemmShape& shape, const GemmEpilogue& epilogue, int64_t i, const T* a,
                          const T* b, const T* bias, T* c) {
  T* row = c + i * shape.n;
  if (!epilogue.add_to_c) std::fill_n(row, shape.n, T{0});
  for (int64_t k = 0; k < shape.k; ++k) {
    const T x = shape.transpose_a ? a[k * shape.m + i] : a[i * shape.k + k];
    const T* from = shape.transpose_b ? b + k : b + k * shape.n;
    const int64_t step = shape.transpose_b ? shape.k : 1;
    if (step == 1) {
      for (int64_t j = 0; j < shape.n; ++j) row[j] = multiply_add(x, from[j], row[j]);
    } else {
      for (int64_t j = 0; j < shape.n; ++j) row[j] = multiply_add(x, from[j * step], row[j]);
    }
  }
  for (int64_t j = 0; j < shape.n; ++j) {
    if (epilogue.bias) row[j] = wrapping_add(row[j], bias[j]);
    if (epilogue.relu && row[j] < T{0}) row[j] = T{0};
  }
}

inline int64_t plain_rows_per_worker(const GemmShape& shape) {
  return 20'000 / std::max<int64_t>(1, shape.n * shape.k) + 1;
}

/// The whole product, rows split over the workers.
template <typename T>
void multiply_plainly(const GemmShape& shape, const GemmEpilogue& epilogue, const T* a, const T* b,
                      const T* bias, T* c, Parallel& parallel, const FinishedElements* finished) {
  auto run_rows = [&](int64_t begin, int64_t end, int /*worker*/) {
    for (int64_t row = begin; row < end; ++row) multiply_row_plainly(shape, epilogue, row, a, b, bias, c);
    if (finished != nullptr) (*finished)(begin* shape.n, end* shape.n);
  };
  parallel.for_range(shape.m, plain_rows_per_worker(shape), run_rows);
}

}  // namespace flowray::ops
