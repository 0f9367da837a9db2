// The innermost loops in AVX-512 (F, VL, BW, DQ).
//
// Everything between the pragmas is compiled for that level, so headers with code that others share come
// before them: an inline function compiled here could otherwise be the copy that the linker keeps for all.

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "ops/loops/inner_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2")
#endif

#if !defined(__clang__)
// gcc 12's own intrinsics start from an undefined vector, and it warns of that.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include "ops/loops/pixel_pairs_code.h"
#include "ops/loops/pool_code.h"
#include "ops/loops/product_code.h"

// The assembly is told that it may read any float from `base` on.
#define FLOWRAY_READS(base) "m"(*reinterpret_cast<const float(*)[1 << 20]>(base))

namespace flowray::ops {
namespace {

struct Avx512 {
  using Register = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kPanelVectors = 4;
  static constexpr int kTileRows[kPanelVectors] = {16, 12, 8, 6};

  static __mmask16 first(int64_t count) { return static_cast<__mmask16>((1u << count) - 1); }
  static FLOWRAY_INLINE Register load(const float* p) { return _mm512_loadu_ps(p); }
  static FLOWRAY_INLINE void store(float* p, Register v) { _mm512_storeu_ps(p, v); }
  static FLOWRAY_INLINE Register load_first(const float* p, int64_t count) {
    return _mm512_maskz_loadu_ps(first(count), p);
  }
  static FLOWRAY_INLINE void store_first(float* p, Register v, int64_t count) {
    _mm512_mask_storeu_ps(p, first(count), v);
  }
  static FLOWRAY_INLINE Register broadcast(float x) { return _mm512_set1_ps(x); }
  static FLOWRAY_INLINE Register maximum(Register a, Register b) { return _mm512_max_ps(a, b); }
  static FLOWRAY_INLINE __m512i load_indices(const int32_t* p) { return _mm512_loadu_si512(p); }
  static FLOWRAY_INLINE Register permute(Register v, __m512i indices) {
    return _mm512_permutexvar_ps(indices, v);
  }
  static FLOWRAY_INLINE void multiply_add(Register& sum, Register a, Register b) {
    asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE Register broadcast_at(const float* base, int64_t row) {
    Register v;
    if constexpr (kRows == 0) {
      asm("vbroadcastss %c2(%1), %0" : "=v"(v) : "r"(base), "i"(kOffset * 4), FLOWRAY_READS(base));
    } else {
      asm("vbroadcastss %c3(%1,%2,%c4), %0"
          : "=v"(v)
          : "r"(base), "r"(row), "i"(kOffset * 4), "i"(kRows * 4), FLOWRAY_READS(base));
    }
    return v;
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE Register broadcast_pair_at(const float* base, int64_t row) {
    Register v;
    if constexpr (kRows == 0) {
      asm("vbroadcastsd %c2(%1), %0" : "=v"(v) : "r"(base), "i"(kOffset * 4), FLOWRAY_READS(base));
    } else {
      asm("vbroadcastsd %c3(%1,%2,%c4), %0"
          : "=v"(v)
          : "r"(base), "r"(row), "i"(kOffset * 4), "i"(kRows * 4), FLOWRAY_READS(base));
    }
    return v;
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE void multiply_add_at(Register& sum, Register factor, const float* base, int64_t row) {
    if constexpr (kRows == 0) {
      asm("vfmadd231ps %c3(%2)%{1to16%}, %1, %0"
          : "+v"(sum)
          : "v"(factor), "r"(base), "i"(kOffset * 4), FLOWRAY_READS(base));
    } else {
      asm("vfmadd231ps %c4(%2,%3,%c5)%{1to16%}, %1, %0"
          : "+v"(sum)
          : "v"(factor), "r"(base), "r"(row), "i"(kOffset * 4), "i"(kRows * 4), FLOWRAY_READS(base));
    }
  }
};

/// Half a vector, for few channels.
struct Avx512Half {
  using Register = __m256;
  static constexpr int kWidth = 8;

  static __mmask8 first(int64_t count) { return static_cast<__mmask8>((1u << count) - 1); }
  static FLOWRAY_INLINE Register load_first(const float* p, int64_t count) {
    return _mm256_maskz_loadu_ps(first(count), p);
  }
  static FLOWRAY_INLINE void store_first(float* p, Register v, int64_t count) {
    _mm256_mask_storeu_ps(p, first(count), v);
  }
  static FLOWRAY_INLINE Register broadcast(float x) { return _mm256_set1_ps(x); }
  static FLOWRAY_INLINE Register maximum(Register a, Register b) { return _mm256_max_ps(a, b); }
};

}  // namespace

constinit const InnerLoops kAvx512Loops = {
    .width = Avx512::kWidth,
    .panel_columns = Avx512::kWidth * Avx512::kPanelVectors,
    .tile_rows = Avx512::kTileRows[Avx512::kPanelVectors - 1],
    .pair_channels = Avx512::kWidth / 2,
    .multiply = multiply<Avx512>,
    .dot_rows = dot_rows<Avx512>,
    .pair_forward = pair_forward<Avx512>,
    .pair_backward_filter = pair_backward_filter<Avx512>,
    .fold_row = fold_row<Avx512, Avx512Half>,
    .average_pool = average_pool<Avx512, Avx512Half>,
    .average_pool_gradient = average_pool_gradient<Avx512, Avx512Half>,
    .max_pool = max_pool<Avx512, Avx512Half>,
    .max_pool_gradient = max_pool_gradient<Avx512, Avx512Half>,
};

}  // namespace flowray::ops

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
