#pragma once
/// Plain loops that the compiler vectorises, compiled once for each CpuLevel.

#include "ops/loops/cpu_level.h"

#define FLOWRAY_ALWAYS_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#if defined(__clang__)
#define FLOWRAY_TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2")))
#else
#define FLOWRAY_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2,prefer-vector-width=512")))
#endif
#define FLOWRAY_TARGET_AVX2 __attribute__((target("avx2,fma,bmi2")))
#endif

// Put before a loop whose iterations are independent even where its pointers are equal (an output written
// over an input): without it the compiler takes the slow path there.
#if defined(__clang__)
#define FLOWRAY_SAME_ELEMENT_ONLY _Pragma("clang loop vectorize(assume_safety)")
#else
#define FLOWRAY_SAME_ELEMENT_ONLY _Pragma("GCC ivdep")
#endif

namespace flowray::ops {

/// The copies of `Loop::run`, a static function marked FLOWRAY_ALWAYS_INLINE that calls nothing that is not:
/// so the whole loop is compiled with the instructions of the copy it stands in, and no code for them leaks
/// into functions that other files share. Lambdas inside of it would be compiled for the portable level.
template <class Loop, class Signature>
struct VectorClones;

template <class Loop, class... Arguments>
struct VectorClones<Loop, void(Arguments...)> {
  using Function = void (*)(Arguments...);

  static void portable(Arguments... arguments) { Loop::run(arguments...); }
#if defined(__x86_64__)
  FLOWRAY_TARGET_AVX2 static void avx2(Arguments... arguments) { Loop::run(arguments...); }
  FLOWRAY_TARGET_AVX512 static void avx512(Arguments... arguments) { Loop::run(arguments...); }
#endif

  /// The copy for `level`, which must not be above highest_cpu_level().
  static Function pick(CpuLevel level = cpu_level()) {
#if defined(__x86_64__)
    if (level == CpuLevel::kAvx512) return avx512;
    if (level == CpuLevel::kAvx2) return avx2;
#endif
    static_cast<void>(level);
    return portable;
  }
};

}  // namespace flowray::ops
