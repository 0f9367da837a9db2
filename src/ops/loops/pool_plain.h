#pragma once

// PoolRow's code for any arithmetic type: loops, nothing more.

#include <cstdint>

#include "core/wrapping.h"
#include "ops/loops/gemm_plain.h"
#include "ops/loops/inner_loops.h"

namespace flowray::ops {

/// Calls body(at) for the place in the image of each pixel of window `x`, channel `c`, in row-major order.
template <typename T, typename Body>
void for_window_plainly(const PoolRow<T>& p, int64_t x, int64_t c, Body body) {
  for (int64_t y = 0; y < p.height; ++y) {
    for (int64_t column = p.left[x]; column < p.right[x]; ++column)
      body(y * p.in_row + column * p.channels + c);
  }
}

/// Calls body(x, c, at) for every window `x` and channel `c` of the row, whose place in `out` is `at`.
template <typename T, typename Body>
void for_outputs_plainly(const PoolRow<T>& p, Body body) {
  for (int64_t x = 0; x < p.out_width; ++x) {
    for (int64_t c = 0; c < p.channels; ++c) body(x, c, x * p.channels + c);
  }
}

template <typename T>
T pixels_in_window(const PoolRow<T>& p, int64_t x) {
  return static_cast<T>(p.height * (p.right[x] - p.left[x]));
}

template <typename T>
void average_pool_plainly(const PoolRow<T>& p) {
  for_outputs_plainly(p, [&](int64_t x, int64_t c, int64_t to) {
    T sum{0};
    for_window_plainly(p, x, c, [&](int64_t at) { sum = wrapping_add(sum, p.in[at]); });
    p.out[to] = sum / pixels_in_window(p, x);
  });
}

template <typename T>
void average_pool_gradient_plainly(const PoolRow<T>& p) {
  for_outputs_plainly(p, [&](int64_t x, int64_t c, int64_t from) {
    const T part = p.out_gradient[from] / pixels_in_window(p, x);
    for_window_plainly(p, x, c, [&](int64_t at) {
      p.in_gradient[at] = p.add ? wrapping_add(p.in_gradient[at], part) : part;
    });
  });
}

template <typename T>
void max_pool_plainly(const PoolRow<T>& p) {
  for_outputs_plainly(p, [&](int64_t x, int64_t c, int64_t to) {
    T most = p.in[p.left[x] * p.channels + c];
    for_window_plainly(p, x, c, [&](int64_t at) { most = p.in[at] > most ? p.in[at] : most; });
    p.out[to] = most;
  });
}

template <typename T>
void max_pool_gradient_plainly(const PoolRow<T>& p) {
  for_outputs_plainly(p, [&](int64_t x, int64_t c, int64_t from) {
    T left = p.out_gradient[from];  // All of the gradient until the maximum has been met, then nothing.
    for_window_plainly(p, x, c, [&](int64_t at) {
      const bool is_most = p.in[at] == p.out[from];
      const T given = is_most ? left : T{0};
      if (is_most) left = T{0};
      p.in_gradient[at] = p.add ? wrapping_add(p.in_gradient[at], given) : given;
    });
  });
}

}  // namespace flowray::ops
