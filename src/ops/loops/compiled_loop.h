#pragma once
/// Plain loops that the compiler vectorises, compiled once for each CpuLevel.

#include "ops/loops/loop_hints.h"

#define FLOWRAY_WHOLE_VECTORS
#define FLOWRAY_LOOPS "ops/loops/compiled_loop_code.h"
#include "ops/loops/each_level.h"

namespace flowray::ops {

/// `Loop::run` as it is compiled for `level`, which must not be above highest_cpu_level().
///
/// It is a static function marked FLOWRAY_ALWAYS_INLINE that calls nothing that is not: so the whole loop is
/// compiled with the instructions of the copy it stands in. Lambdas inside of it would be compiled for the
/// portable level. A loop that needs them, or vectors of its own, stands in a file for each_level.h.
template <class Loop>
auto compiled_loop(CpuLevel level = cpu_level()) {
  return &of_level(level, FLOWRAY_EVERY_LEVEL(LoopCopy<Loop>::run));
}

}  // namespace flowray::ops
