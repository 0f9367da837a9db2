// The innermost loops in AVX2 with FMA. See inner_loops_avx512.cpp for the order of the includes.

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "ops/loops/inner_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2")
#endif

#include "ops/loops/pool_code.h"
#include "ops/loops/product_code.h"

// The assembly is told that it may read any float from `base` on.
#define FLOWRAY_READS(base) "m"(*reinterpret_cast<const float(*)[1 << 20]>(base))

namespace flowray::ops {
namespace {

struct Avx2 {
  using Register = __m256;
  static constexpr int kWidth = 8;
  static constexpr int kPanelVectors = 2;
  static constexpr int kTileRows[kPanelVectors] = {10, 6};

  static FLOWRAY_INLINE __m256i first(int64_t count) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes);
  }
  static FLOWRAY_INLINE Register load(const float* p) { return _mm256_loadu_ps(p); }
  static FLOWRAY_INLINE void store(float* p, Register v) { _mm256_storeu_ps(p, v); }
  static FLOWRAY_INLINE Register load_first(const float* p, int64_t count) {
    return count >= kWidth ? load(p) : _mm256_maskload_ps(p, first(count));
  }
  static FLOWRAY_INLINE void store_first(float* p, Register v, int64_t count) {
    if (count >= kWidth)
      store(p, v);
    else
      _mm256_maskstore_ps(p, first(count), v);
  }
  static FLOWRAY_INLINE Register broadcast(float x) { return _mm256_set1_ps(x); }
  static FLOWRAY_INLINE Register maximum(Register a, Register b) { return _mm256_max_ps(a, b); }
  static FLOWRAY_INLINE void multiply_add(Register& sum, Register a, Register b) {
    asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE Register broadcast_at(const float* base, int64_t row) {
    Register v;
    if constexpr (kRows == 0) {
      asm("vbroadcastss %c2(%1), %0" : "=x"(v) : "r"(base), "i"(kOffset * 4), FLOWRAY_READS(base));
    } else {
      asm("vbroadcastss %c3(%1,%2,%c4), %0"
          : "=x"(v)
          : "r"(base), "r"(row), "i"(kOffset * 4), "i"(kRows * 4), FLOWRAY_READS(base));
    }
    return v;
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE void multiply_add_at(Register& sum, Register factor, const float* base, int64_t row) {
    multiply_add(sum, broadcast_at<kRows, kOffset>(base, row), factor);
  }
};

}  // namespace

constinit const InnerLoops kAvx2Loops = {
    .width = Avx2::kWidth,
    .panel_columns = Avx2::kWidth * Avx2::kPanelVectors,
    .tile_rows = Avx2::kTileRows[Avx2::kPanelVectors - 1],
    .pair_channels = 0,
    .multiply = multiply<Avx2>,
    .dot_rows = dot_rows<Avx2>,
    .pair_forward = nullptr,
    .pair_backward_filter = nullptr,
    .fold_row = fold_row<Avx2, Avx2>,
    .average_pool = average_pool<Avx2, Avx2>,
    .average_pool_gradient = average_pool_gradient<Avx2, Avx2>,
    .max_pool = max_pool<Avx2, Avx2>,
    .max_pool_gradient = max_pool_gradient<Avx2, Avx2>,
};

}  // namespace flowray::ops

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
