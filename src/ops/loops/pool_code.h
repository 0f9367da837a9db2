// PoolRow<float>'s and FoldRow's code, written once over a vector type and compiled once for each CpuLevel.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ops/loops/inner_loops.h"
#include "ops/loops/loop_hints.h"
#include "ops/loops/portable_level.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

/// Calls body(channel, count) for every stretch of at most V::kWidth channels; kOne says that there is
/// just one.
template <typename V, bool kOne, typename Body>
FLOWRAY_INLINE void for_channels(int64_t channels, Body body) {
  if constexpr (kOne)
    body(0, channels);
  else
    for (int64_t c = 0; c < channels; c += V::kWidth) body(c, std::min<int64_t>(V::kWidth, channels - c));
}

/// The loops over a row of windows. k2x2 is PoolRow::is_2x2, kOne says that one vector holds all channels.
template <typename V, bool k2x2, bool kOne>
struct PoolLoops {
  using Register = typename V::Register;

  /// Calls body(x, part, c, count) for every window `x` and stretch of channels; `part` is 1 / the
  /// window's pixels.
  template <typename Body>
  static FLOWRAY_INLINE void for_windows(const PoolRow<float>& p, Body body) {
    for (int64_t x = 0; x < p.out_width; ++x) {
      float part = 0.25f;
      if constexpr (!k2x2) part = 1.0f / static_cast<float>(p.height * (p.right[x] - p.left[x]));
      for_channels<V, kOne>(p.channels,
                            [&](int64_t c, int64_t count) FLOWRAY_INLINE_LAMBDA { body(x, part, c, count); });
    }
  }

  /// Calls body(place in the image) for every pixel of window `x`, in row-major order.
  template <typename Body>
  static FLOWRAY_INLINE void for_pixels(const PoolRow<float>& p, int64_t x, Body body) {
    if constexpr (k2x2) {
      const int64_t first = (p.left[0] + 2 * x) * p.channels;
      body(first);
      body(first + p.channels);
      body(first + p.in_row);
      body(first + p.in_row + p.channels);
    } else {
      const int64_t first = p.left[x] * p.channels;
      const int64_t last = p.right[x] * p.channels;
      for (int64_t y = 0; y < p.height; ++y) {
        for (int64_t at = first; at < last; at += p.channels) body(y * p.in_row + at);
      }
    }
  }

  // The rows are passed by value: the compiler would have to look at a reference again after every store.

  static void average(PoolRow<float> p) {
    for_windows(p, [&](int64_t x, float part, int64_t c, int64_t count) FLOWRAY_INLINE_LAMBDA {
      Register sum = V::broadcast(0.0f);
      for_pixels(p, x, [&](int64_t at) FLOWRAY_INLINE_LAMBDA { sum += V::load_first(p.in + at + c, count); });
      V::store_first(p.out + x * p.channels + c, sum * V::broadcast(part), count);
    });
  }

  static void average_gradient(PoolRow<float> p) {
    for_windows(p, [&](int64_t x, float part, int64_t c, int64_t count) FLOWRAY_INLINE_LAMBDA {
      const Register given = V::load_first(p.out_gradient + x * p.channels + c, count) * V::broadcast(part);
      for_pixels(p, x, [&](int64_t at) FLOWRAY_INLINE_LAMBDA { give(p, at + c, given, count); });
    });
  }

  static void max(PoolRow<float> p) {
    for_windows(p, [&](int64_t x, float /*part*/, int64_t c, int64_t count) FLOWRAY_INLINE_LAMBDA {
      Register most = V::broadcast(-std::numeric_limits<float>::infinity());
      for_pixels(p, x, [&](int64_t at) FLOWRAY_INLINE_LAMBDA {
        most = V::maximum(V::load_first(p.in + at + c, count), most);
      });
      V::store_first(p.out + x * p.channels + c, most, count);
    });
  }

  static void max_gradient(PoolRow<float> p) {
    const Register zero = V::broadcast(0.0f);
    for_windows(p, [&](int64_t x, float /*part*/, int64_t c, int64_t count) FLOWRAY_INLINE_LAMBDA {
      const Register most = V::load_first(p.out + x * p.channels + c, count);
      // What is left to give: all of the gradient until the maximum has been met, then nothing.
      Register left = V::load_first(p.out_gradient + x * p.channels + c, count);
      for_pixels(p, x, [&](int64_t at) FLOWRAY_INLINE_LAMBDA {
        const auto is_most = V::load_first(p.in + at + c, count) == most;
        give(p, at + c, is_most ? left : zero, count);
        left = is_most ? zero : left;
      });
    });
  }

 private:
  static FLOWRAY_INLINE void give(const PoolRow<float>& p, int64_t at, Register given, int64_t count) {
    float* to = p.in_gradient + at;
    V::store_first(to, p.add ? V::load_first(to, count) + given : given, count);
  }
};

/// Calls body.operator()<Loops>() with the PoolLoops for `p`. Few channels are worked on in vectors of type
/// Narrow, which cost less at odd addresses.
template <typename V, typename Narrow, typename Body>
FLOWRAY_INLINE void with_pool_loops(const PoolRow<float>& p, Body body) {
  const bool is_narrow = p.channels <= Narrow::kWidth;
  if (is_narrow && p.is_2x2)
    body.template operator()<PoolLoops<Narrow, true, true>>();
  else if (is_narrow)
    body.template operator()<PoolLoops<Narrow, false, true>>();
  else if (p.is_2x2)
    body.template operator()<PoolLoops<V, true, false>>();
  else
    body.template operator()<PoolLoops<V, false, false>>();
}

template <typename V, typename Narrow>
void average_pool(const PoolRow<float>& p) {
  with_pool_loops<V, Narrow>(p, [&]<typename Loops>() { Loops::average(p); });
}

template <typename V, typename Narrow>
void average_pool_gradient(const PoolRow<float>& p) {
  with_pool_loops<V, Narrow>(p, [&]<typename Loops>() { Loops::average_gradient(p); });
}

template <typename V, typename Narrow>
void max_pool(const PoolRow<float>& p) {
  with_pool_loops<V, Narrow>(p, [&]<typename Loops>() { Loops::max(p); });
}

template <typename V, typename Narrow>
void max_pool_gradient(const PoolRow<float>& p) {
  with_pool_loops<V, Narrow>(p, [&]<typename Loops>() { Loops::max_gradient(p); });
}

/// By value, as the rows of PoolLoops.
template <typename V, bool kOne>
void fold_row_vectors(FoldRow f) {
  for (int64_t x = 0; x < f.pixel_count; ++x) {
    const FoldPixel pixel = f.pixels[x];
    for_channels<V, kOne>(f.channels, [&](int64_t c, int64_t count) FLOWRAY_INLINE_LAMBDA {
      auto sum = V::broadcast(0.0f);
      const float* from = f.columns + pixel.offset + c;
      for (int64_t j = 0; j < pixel.count; ++j, from += f.step) sum += V::load_first(from, count);
      V::store_first(f.out + x * f.channels + c, sum, count);
    });
  }
}

template <typename V, typename Narrow>
void fold_row(const FoldRow& f) {
  if (f.channels <= Narrow::kWidth)
    fold_row_vectors<Narrow, true>(f);
  else
    fold_row_vectors<V, false>(f);
}

}  // namespace
}  // namespace flowray::ops::FLOWRAY_LEVEL
