// The loops of sleef_loops.cpp, compiled once for each CpuLevel. SLEEF's own header declares what the
// compiler's options allow, not what pragmas do: so the functions of a level are declared here.

#include <cstdint>
#include <cstring>

#include "vector_libraries/float_loops.h"

#if FLOWRAY_VECTOR_BYTES == 64
#define FLOWRAY_SLEEF(function, error) Sleef_##function##f16_##error##avx512f
#elif FLOWRAY_VECTOR_BYTES == 32
#define FLOWRAY_SLEEF(function, error) Sleef_##function##f8_##error##avx2
#else
#define FLOWRAY_SLEEF(function, error) Sleef_##function##f4_##error##sse2
#endif

namespace flowray::benchmarks::FLOWRAY_LEVEL {

typedef float SleefVector __attribute__((vector_size(FLOWRAY_VECTOR_BYTES)));

extern "C" {
SleefVector FLOWRAY_SLEEF(exp, u10)(SleefVector x);
SleefVector FLOWRAY_SLEEF(log, u10)(SleefVector x);
SleefVector FLOWRAY_SLEEF(log, u35)(SleefVector x);
SleefVector FLOWRAY_SLEEF(tanh, u10)(SleefVector x);
SleefVector FLOWRAY_SLEEF(tanh, u35)(SleefVector x);
}

template <SleefVector (*kFunction)(SleefVector)>
void sleef_loop(const float* x, float* y, int64_t count) {
  constexpr int64_t kLanes = FLOWRAY_VECTOR_BYTES / sizeof(float);
  for (int64_t i = 0; i < count; i += kLanes) {
    SleefVector v;
    std::memcpy(&v, x + i, sizeof v);
    v = kFunction(v);
    std::memcpy(y + i, &v, sizeof v);
  }
}

const FloatLoops kSleefLoops = {.exp = &sleef_loop<&FLOWRAY_SLEEF(exp, u10)>,
                                .log = &sleef_loop<&FLOWRAY_SLEEF(log, u10)>,
                                .tanh = &sleef_loop<&FLOWRAY_SLEEF(tanh, u10)>};

const FloatLoops kCoarseSleefLoops = {.log = &sleef_loop<&FLOWRAY_SLEEF(log, u35)>,
                                      .tanh = &sleef_loop<&FLOWRAY_SLEEF(tanh, u35)>};

}  // namespace flowray::benchmarks::FLOWRAY_LEVEL

#undef FLOWRAY_SLEEF
