// The loops of elementwise math in AVX2 with FMA. What math_loops_code.h includes comes before the
// instructions are chosen, so that inline functions of the standard library, which the linker merges,
// stay portable.

#if defined(__x86_64__)

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ops/loops/math_loops.h"
#include "ops/loops/vector_clones.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2")
#endif

#define FLOWRAY_VECTOR_BYTES 32
#include "ops/loops/math_loops_code.h"

namespace flowray::ops {

constinit const MathLoops kAvx2MathLoops = all_math_loops();

}  // namespace flowray::ops

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
