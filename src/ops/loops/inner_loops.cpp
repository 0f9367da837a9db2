#include "ops/loops/inner_loops.h"

namespace flowray::ops {

const InnerLoops& inner_loops(CpuLevel level) {
#if defined(__x86_64__)
  if (level == CpuLevel::kAvx512) return kAvx512Loops;
  if (level == CpuLevel::kAvx2) return kAvx2Loops;
#endif
  static_cast<void>(level);
  return kPortableLoops;
}

}  // namespace flowray::ops
