// The vector types of each level, for inner_loops_code.h. What a type has is said in
// product_code.h and pixel_pairs_code.h.

#include <cstdint>
#include <cstring>

#include "ops/loops/loop_hints.h"
#include "ops/loops/portable_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifndef FLOWRAY_READS
// The assembly is told that it may read any float from `base` on.
#define FLOWRAY_READS(base) "m"(*reinterpret_cast<const float(*)[1 << 20]>(base))
#endif

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

#if FLOWRAY_VECTOR_BYTES == 64

struct Vector {
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
struct HalfVector {
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

#elif FLOWRAY_VECTOR_BYTES == 32

struct Vector {
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

using HalfVector = Vector;

#else

struct Vector {
  using Register = float __attribute__((vector_size(16)));
  static constexpr int kWidth = 4;
  static constexpr int kPanelVectors = 2;
  static constexpr int kTileRows[kPanelVectors] = {8, 5};

  static FLOWRAY_INLINE Register load(const float* p) {
    Register v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static FLOWRAY_INLINE void store(float* p, Register v) { std::memcpy(p, &v, sizeof v); }
  static FLOWRAY_INLINE Register load_first(const float* p, int64_t count) {
    if (count >= kWidth) return load(p);
    const float second = count > 1 ? p[1] : 0.0f;
    const float third = count > 2 ? p[2] : 0.0f;
    return Register{count > 0 ? p[0] : 0.0f, second, third, 0.0f};
  }
  static FLOWRAY_INLINE void store_first(float* p, Register v, int64_t count) {
    if (count >= kWidth) return store(p, v);
    if (count > 0) p[0] = v[0];
    if (count > 1) p[1] = v[1];
    if (count > 2) p[2] = v[2];
  }
  static FLOWRAY_INLINE Register broadcast(float x) { return Register{x, x, x, x}; }
  static FLOWRAY_INLINE Register maximum(Register a, Register b) { return a > b ? a : b; }
  static FLOWRAY_INLINE void multiply_add(Register& sum, Register a, Register b) {
#if defined(__aarch64__)
    sum = vfmaq_f32(sum, a, b);
#else
    sum += a * b;
#endif
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE Register broadcast_at(const float* base, int64_t row) {
    return broadcast(base[kRows * row + kOffset]);
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE void multiply_add_at(Register& sum, Register factor, const float* base, int64_t row) {
    multiply_add(sum, broadcast_at<kRows, kOffset>(base, row), factor);
  }
};

/// Half a vector, for few channels: only wide vectors have a type of their own for it.
using HalfVector = Vector;

#endif

}  // namespace
}  // namespace flowray::ops::FLOWRAY_LEVEL
