// Highway compiles this source once for each of its targets.

// Those that have no CpuLevel are left out.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vector_libraries/highway_loops.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
// Behind the header that chooses the target.
#include <hwy/contrib/math/math-inl.h>

#include "vector_libraries/float_loops.h"

HWY_BEFORE_NAMESPACE();
namespace flowray::benchmarks {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
constexpr int64_t kLanes = HWY_LANES(float);

void exp_loop(const float* x, float* y, int64_t count) {
  const Floats d;
  for (int64_t i = 0; i < count; i += kLanes) hn::StoreU(hn::Exp(d, hn::LoadU(d, x + i)), d, y + i);
}

void log_loop(const float* x, float* y, int64_t count) {
  const Floats d;
  for (int64_t i = 0; i < count; i += kLanes) hn::StoreU(hn::Log(d, hn::LoadU(d, x + i)), d, y + i);
}

void tanh_loop(const float* x, float* y, int64_t count) {
  const Floats d;
  for (int64_t i = 0; i < count; i += kLanes) hn::StoreU(hn::Tanh(d, hn::LoadU(d, x + i)), d, y + i);
}

void add_loop(const float* x, const float* y, float* z, int64_t count) {
  const Floats d;
  for (int64_t i = 0; i < count; i += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i);
  }
}

float sum_loop(const float* x, int64_t count) {
  const Floats d;
  Vector sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (int64_t i = 0; i < count; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) sums[j] = hn::Add(sums[j], hn::LoadU(d, x + i + j * kLanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
}

// The tiles of ops/loops/vectors_code.h: as many vectors side by side, and rows, as the registers hold.
constexpr int64_t kColumns = 64;
constexpr int kTileVectors = kLanes == 16 ? 4 : 2;
constexpr int kMostRows = kLanes == 1 ? 5 : 6;

template <int kRows>
HWY_INLINE void multiply_tile(const float* a, const float* b, float* c, int64_t k) {
  const Floats d;
  Vector sums[kRows][kTileVectors];
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kTileVectors; ++j) sums[i][j] = hn::Zero(d);
  }
  for (int64_t step = 0; step < k; ++step) {
    Vector factors[kTileVectors];
    for (int j = 0; j < kTileVectors; ++j) factors[j] = hn::LoadU(d, b + step * kColumns + j * kLanes);
    for (int i = 0; i < kRows; ++i) {
      const Vector row = hn::Set(d, a[i * k + step]);
      for (int j = 0; j < kTileVectors; ++j) sums[i][j] = hn::MulAdd(row, factors[j], sums[i][j]);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kTileVectors; ++j) hn::StoreU(sums[i][j], d, c + i * kColumns + j * kLanes);
  }
}

void multiply_loop(const float* a, const float* b, float* c, int64_t k) {
  for (int64_t column = 0; column < kColumns; column += kTileVectors * kLanes) {
    for (int64_t row = 0; row < 16;) {
      const int64_t tiles_left = (16 - row + kMostRows - 1) / kMostRows;
      const int64_t rows = (16 - row + tiles_left - 1) / tiles_left;
      const float* const tile_a = a + row * k;
      float* const tile_c = c + row * kColumns + column;
      if (rows == 6) multiply_tile<6>(tile_a, b + column, tile_c, k);
      if (rows == 5) multiply_tile<5>(tile_a, b + column, tile_c, k);
      if (rows == 4) multiply_tile<4>(tile_a, b + column, tile_c, k);
      row += rows;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace flowray::benchmarks
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowray::benchmarks {
namespace {

HWY_EXPORT(exp_loop);
HWY_EXPORT(log_loop);
HWY_EXPORT(tanh_loop);
HWY_EXPORT(add_loop);
HWY_EXPORT(sum_loop);
HWY_EXPORT(multiply_loop);

}  // namespace

FloatLoops highway_loops(ops::CpuLevel level) {
  const int64_t target = level == ops::CpuLevel::kAvx512 ? HWY_AVX3
                         : level == ops::CpuLevel::kAvx2 ? HWY_AVX2
                                                         : HWY_STATIC_TARGET;
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return {&HWY_DYNAMIC_DISPATCH(exp_loop),  &HWY_DYNAMIC_DISPATCH(log_loop),
          &HWY_DYNAMIC_DISPATCH(tanh_loop), &HWY_DYNAMIC_DISPATCH(add_loop),
          &HWY_DYNAMIC_DISPATCH(sum_loop),  &HWY_DYNAMIC_DISPATCH(multiply_loop)};
}

}  // namespace flowray::benchmarks
#endif  // HWY_ONCE
