#include "ops/loops/cpu_level.h"

#include <algorithm>
#include <cstdlib>

namespace flowray::ops {
namespace {

CpuLevel level_from_environment() {
  const CpuLevel highest = highest_cpu_level();
  const char* wanted = std::getenv("FLOWRAY_CPU");
  if (wanted == nullptr) return highest;
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (name_of(level) == wanted) return std::min(level, highest);
  }
  return highest;
}

}  // namespace

CpuLevel highest_cpu_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    return avx512 ? CpuLevel::kAvx512 : CpuLevel::kAvx2;
  }
#endif
  return CpuLevel::kPortable;
}

CpuLevel cpu_level() {
  static const CpuLevel level = level_from_environment();
  return level;
}

std::string_view name_of(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512:
      return "avx512";
    case CpuLevel::kAvx2:
      return "avx2";
    case CpuLevel::kPortable:
      break;
  }
  return "portable";
}

}  // namespace flowray::ops
