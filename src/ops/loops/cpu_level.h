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

/// The copies of what a file defines that each_level.h compiles, as arguments of of_level.
#if defined(__x86_64__)
#define FLOWRAY_EVERY_LEVEL(...) portable::__VA_ARGS__, avx2::__VA_ARGS__, avx512::__VA_ARGS__
#else
#define FLOWRAY_EVERY_LEVEL(...) portable::__VA_ARGS__
#endif

/// The copy for `level`: of_level(level, FLOWRAY_EVERY_LEVEL(name)).
#if defined(__x86_64__)
template <class T>
constexpr T& of_level(CpuLevel level, T& portable, T& avx2, T& avx512) {
  if (level == CpuLevel::kAvx512) return avx512;
  return level == CpuLevel::kAvx2 ? avx2 : portable;
}
#else
template <class T>
constexpr T& of_level(CpuLevel /*level*/, T& portable) {
  return portable;
}
#endif

}  // namespace flowray::ops
