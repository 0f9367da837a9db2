#include "ops/loops/inner_loops.h"

#if !defined(__clang__)
// gcc 12's own intrinsics start from an undefined vector, and it warns of that.
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define FLOWRAY_LOOPS "ops/loops/inner_loops_code.h"
#include "ops/loops/each_level.h"

namespace flowray::ops {

const InnerLoops& inner_loops(CpuLevel level) { return of_level(level, FLOWRAY_EVERY_LEVEL(kInnerLoops)); }

}  // namespace flowray::ops
