// Compiles a file of loops once for each CpuLevel, in one source:
//
//   #define FLOWRAY_LOOPS "ops/loops/math_loops_code.h"
//   #include "ops/loops/each_level.h"
//
//   of_level(level, FLOWRAY_EVERY_LEVEL(kMathLoops))    // portable::kMathLoops, avx2::kMathLoops or ...
//
// FLOWRAY_LOOPS names a *_code.h file without #pragma once, all of whose code stands in
//
//   namespace flowray::ops::FLOWRAY_LEVEL { ... }
//
// and is written over vectors of FLOWRAY_VECTOR_BYTES or leaves vectors to the compiler. Everything in it,
// templates and lambdas too, is compiled with the instructions of its level. No such code gets into functions
// that the linker merges with those of other sources, because
//
//   - the level is part of the name of whatever the file defines;
//   - the portable level comes first. Headers that the file includes are read then, before wider instructions
//     are chosen, and not again. So it includes what it needs for any level outside of #if for one level.
//
// FLOWRAY_WHOLE_VECTORS, defined too, has gcc use 512 bits where it vectorises loops itself for AVX-512; by
// default it stops at 256. Read alone, such a file is of the portable level (portable_level.h).

#include "ops/loops/cpu_level.h"

#ifdef FLOWRAY_LOOPS

#define FLOWRAY_PRAGMA(...) _Pragma(#__VA_ARGS__)
#if defined(__clang__)
#define FLOWRAY_BEGIN_TARGET(features) \
  FLOWRAY_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define FLOWRAY_END_TARGET FLOWRAY_PRAGMA(clang attribute pop)
#else
#define FLOWRAY_BEGIN_TARGET(features) FLOWRAY_PRAGMA(GCC push_options) FLOWRAY_PRAGMA(GCC target(features))
#define FLOWRAY_END_TARGET FLOWRAY_PRAGMA(GCC pop_options)
#endif

#undef FLOWRAY_LEVEL
#undef FLOWRAY_VECTOR_BYTES
#define FLOWRAY_LEVEL portable
#define FLOWRAY_VECTOR_BYTES 16
#include FLOWRAY_LOOPS
#undef FLOWRAY_LEVEL
#undef FLOWRAY_VECTOR_BYTES

#if defined(__x86_64__)

FLOWRAY_BEGIN_TARGET("avx2,fma,bmi2")
#define FLOWRAY_LEVEL avx2
#define FLOWRAY_VECTOR_BYTES 32
#include FLOWRAY_LOOPS
#undef FLOWRAY_LEVEL
#undef FLOWRAY_VECTOR_BYTES
FLOWRAY_END_TARGET

#define FLOWRAY_AVX512 "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2"
#if defined(FLOWRAY_WHOLE_VECTORS) && !defined(__clang__)
FLOWRAY_BEGIN_TARGET(FLOWRAY_AVX512 ",prefer-vector-width=512")
#else
FLOWRAY_BEGIN_TARGET(FLOWRAY_AVX512)
#endif
#define FLOWRAY_LEVEL avx512
#define FLOWRAY_VECTOR_BYTES 64
#include FLOWRAY_LOOPS
#undef FLOWRAY_LEVEL
#undef FLOWRAY_VECTOR_BYTES
FLOWRAY_END_TARGET
#undef FLOWRAY_AVX512

#endif  // defined(__x86_64__)

#undef FLOWRAY_PRAGMA
#undef FLOWRAY_BEGIN_TARGET
#undef FLOWRAY_END_TARGET
#undef FLOWRAY_WHOLE_VECTORS
#undef FLOWRAY_LOOPS

#endif  // FLOWRAY_LOOPS
