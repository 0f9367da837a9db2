#pragma once

#include <string_view>

namespace flowray::ops {

/// Which vector instructions the numeric loops may use. Later levels contain the earlier ones.
enum class CpuLevel {
  kPortable,  ///< What the compiler takes for granted: SSE2 on x86-64, NEON on arm64.
  kAvx2,      ///< x86-64 with AVX2 and FMA.
  kAvx512,    ///< x86-64 with AVX-512 F, VL, BW and DQ.
};

/// The highest level that this processor and its operating system have.
CpuLevel highest_cpu_level();

/// The level that kernels use unless they are told another: the highest one, or a lower one that the
/// environment variable FLOWRAY_CPU asks for (avx512, avx2 or portable; anything else is ignored). It is
/// read once.
CpuLevel cpu_level();

/// "portable", "avx2" or "avx512".
std::string_view name_of(CpuLevel level);

}  // namespace flowray::ops
