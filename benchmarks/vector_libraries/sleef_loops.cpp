#include "vector_libraries/float_loops.h"

#define FLOWRAY_LOOPS "vector_libraries/sleef_loops_code.h"
#include "ops/loops/each_level.h"

namespace flowray::benchmarks {

FloatLoops sleef_loops(ops::CpuLevel level) { return ops::of_level(level, FLOWRAY_EVERY_LEVEL(kSleefLoops)); }

FloatLoops coarse_sleef_loops(ops::CpuLevel level) {
  return ops::of_level(level, FLOWRAY_EVERY_LEVEL(kCoarseSleefLoops));
}

}  // namespace flowray::benchmarks
