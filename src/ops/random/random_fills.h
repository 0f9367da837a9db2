#pragma once
/// Distributions as types, for kernels that are the same for all of them.

#include "core/dtype_dispatch.h"
#include "core/philox.h"

#include <span>

namespace flowray::ops {

using RandomFloatTypes = TypeList<float, double, float16, bfloat16>;

struct UniformFill {
  template <class T>
  static void fill(const Philox& start, std::span<T> out, Parallel& parallel) {
    fill_uniform(start, out, parallel);
  }
};
struct NormalFill {
  template <class T>
  static void fill(const Philox& start, std::span<T> out, Parallel& parallel) {
    fill_normal(start, out, parallel);
  }
};
struct TruncatedNormalFill {
  template <class T>
  static void fill(const Philox& start, std::span<T> out, Parallel& parallel) {
    fill_truncated_normal(start, out, parallel);
  }
};

}  // namespace flowray::ops
