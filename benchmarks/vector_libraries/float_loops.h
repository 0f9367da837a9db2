#pragma once
/// What vector_libraries_benchmark.cpp compares: loops over float32, of one library and for one CpuLevel.

#include <cstdint>

#include "ops/loops/cpu_level.h"

namespace flowray::benchmarks {

/// y[i] = f(x[i]) for i < count, which is a multiple of 16.
using FloatLoop = void (*)(const float* x, float* y, int64_t count);

/// c[m][n] = a[m][k] * b[k][n] for m = 16, n = 64.
using FloatProduct = void (*)(const float* a, const float* b, float* c, int64_t k);

/// Null where the library has no such loop.
struct FloatLoops {
  FloatLoop exp = nullptr;
  FloatLoop log = nullptr;
  FloatLoop tanh = nullptr;
  void (*add)(const float* x, const float* y, float* z, int64_t count) = nullptr;
  float (*sum)(const float* x, int64_t count) = nullptr;
  FloatProduct multiply = nullptr;
};

/// Highway's, written over its vectors, with the functions of hwy/contrib/math. The processor must have the
/// level. Portable is what Highway takes for granted on x86-64: code without vectors.
FloatLoops highway_loops(ops::CpuLevel level);

/// SLEEF's functions for the level, called for one vector after the other: within 1 unit in the last place.
FloatLoops sleef_loops(ops::CpuLevel level);

/// Within 3.5 units, where SLEEF has another function for that.
FloatLoops coarse_sleef_loops(ops::CpuLevel level);

}  // namespace flowray::benchmarks
