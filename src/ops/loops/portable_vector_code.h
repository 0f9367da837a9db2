// The innermost loops in the vectors that every machine of its kind has (128 bits).

#include <cstdint>
#include <cstring>

#include "ops/loops/inner_loops.h"
#include "ops/loops/pool_code.h"
#include "ops/loops/product_code.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace flowray::ops {
namespace {

struct Portable {
  using Register = float __attribute__((vector_size(16)));
  static constexpr int kWidth = 4;
  static constexpr int kPanelVectors = 2;
  static constexpr int kTileRows[kPanelVectors] = {8, 5};

  static FLOWRAY_INLINE Register load(const float* p) {
    Register v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static FLOWRAY_INLINE void store(float* p, Register v) { std::memcpy(p, &v, sizeof v); }
  static FLOWRAY_INLINE Register load_first(const float* p, int64_t count) {
    if (count >= kWidth) return load(p);
    const float second = count > 1 ? p[1] : 0.0f;
    const float third = count > 2 ? p[2] : 0.0f;
    return Register{count > 0 ? p[0] : 0.0f, second, third, 0.0f};
  }
  static FLOWRAY_INLINE void store_first(float* p, Register v, int64_t count) {
    if (count >= kWidth) return store(p, v);
    if (count > 0) p[0] = v[0];
    if (count > 1) p[1] = v[1];
    if (count > 2) p[2] = v[2];
  }
  static FLOWRAY_INLINE Register broadcast(float x) { return Register{x, x, x, x}; }
  static FLOWRAY_INLINE Register maximum(Register a, Register b) { return a > b ? a : b; }
  static FLOWRAY_INLINE void multiply_add(Register& sum, Register a, Register b) {
#if defined(__aarch64__)
    sum = vfmaq_f32(sum, a, b);
#else
    sum += a * b;
#endif
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE Register broadcast_at(const float* base, int64_t row) {
    return broadcast(base[kRows * row + kOffset]);
  }
  template <int kRows, int kOffset>
  static FLOWRAY_INLINE void multiply_add_at(Register& sum, Register factor, const float* base, int64_t row) {
    multiply_add(sum, broadcast_at<kRows, kOffset>(base, row), factor);
  }
};

}  // namespace

constinit const InnerLoops kPortableLoops = {
    .width = Portable::kWidth,
    .panel_columns = Portable::kWidth * Portable::kPanelVectors,
    .tile_rows = Portable::kTileRows[Portable::kPanelVectors - 1],
    .pair_channels = 0,
    .multiply = multiply<Portable>,
    .dot_rows = dot_rows<Portable>,
    .pair_forward = nullptr,
    .pair_backward_filter = nullptr,
    .fold_row = fold_row<Portable, Portable>,
    .average_pool = average_pool<Portable, Portable>,
    .average_pool_gradient = average_pool_gradient<Portable, Portable>,
    .max_pool = max_pool<Portable, Portable>,
    .max_pool_gradient = max_pool_gradient<Portable, Portable>,
};

}  // namespace flowray::ops
