// The code of PairForward and PairBackwardFilter.
//
// With few output channels most lanes of a wide vector would be idle. Here a vector holds two pixels, lane
// 2 * channel + pixel, and one 64-bit broadcast brings both pixels' input: neighbours in a one-channel row
// are neighbours in memory. Six channels then use 12 lanes of 16 instead of 6.
//
// Beside what product_code.h asks for, a vector type V has
//
//   broadcast_pair_at<Rows, Offset>(b, r)   the two floats from b[Rows * r + Offset] on, over and over
//   permute(v, load_indices(p))             lane i is v[p[i]]

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/loops/inner_loops.h"
#include "ops/loops/loop_hints.h"

#ifndef FLOWRAY_LEVEL  // read alone; inner_loops_code.h has included it
#include "ops/loops/product_code.h"
#endif

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

template <typename V>
using PairIndices = std::array<int32_t, V::kWidth>;

/// Entry `channels`: takes lanes [channel][pixel] to [pixel][channel]. Lanes in excess are of no consequence.
template <typename V>
constexpr auto kPairsToPixels = [] {
  std::array<PairIndices<V>, V::kWidth / 2 + 1> table{};
  for (int channels = 1; channels <= V::kWidth / 2; ++channels) {
    for (int lane = 0; lane < 2 * channels; ++lane)
      table[channels][lane] = lane % channels * 2 + lane / channels;
  }
  return table;
}();

/// Entry `channels`: takes lanes [pixel][channel] to [channel][pixel]. Lanes in excess take the last lane,
/// which is zero when there are any.
template <typename V>
constexpr auto kPixelsToPairs = [] {
  std::array<PairIndices<V>, V::kWidth / 2 + 1> table{};
  for (int channels = 1; channels <= V::kWidth / 2; ++channels) {
    for (int lane = 0; lane < V::kWidth; ++lane) {
      const bool is_used = lane / 2 < channels;
      table[channels][lane] = is_used ? lane % 2 * channels + lane / 2 : V::kWidth - 1;
    }
  }
  return table;
}();

/// The bias of each lane [pixel][channel].
template <typename V>
typename V::Register pair_bias(const PairForward& p) {
  PairIndices<V> repeated{};
  for (int lane = 0, channel = 0; lane < 2 * p.out_channels; ++lane, ++channel) {
    if (channel == p.out_channels) channel = 0;
    repeated[static_cast<size_t>(lane)] = channel;
  }
  return V::permute(V::load_first(p.bias, p.out_channels), V::load_indices(repeated.data()));
}

/// Brings sums [pairs][width] to the result's pixels from `first_pixel` on. Not inlined, as finish_tile.
template <typename V>
FLOWRAY_NOT_INLINE void finish_pairs(const PairForward& p, int64_t first_pixel, const float* sums,
                                     int pairs) {
  using Register = typename V::Register;
  const auto order = V::load_indices(kPairsToPixels<V>[static_cast<size_t>(p.out_channels)].data());
  const Register bias = p.bias == nullptr ? V::broadcast(0.0f) : pair_bias<V>(p);
  const int64_t floats = 2 * p.out_channels;
  const bool relu = p.relu;
  float* out = p.out + first_pixel * p.out_channels;
  float* const end = p.out + p.out_width * p.out_channels;
  const auto finish = [&](int64_t count) FLOWRAY_INLINE_LAMBDA {
    Register pixels = V::permute(V::load(sums), order) + bias;
    if (relu) pixels = V::maximum(V::broadcast(0.0f), pixels);
    V::store_first(out, pixels, count);
    sums += V::kWidth;
    out += floats;
  };
  for (int i = 0; i < pairs - 1; ++i) finish(floats);
  finish(std::min<int64_t>(end - out, floats));
}

/// Adds one tap's products to the sums of kPairs neighbouring pairs.
template <typename V, int kPairs>
FLOWRAY_INLINE void pair_step(typename V::Register (&sums)[kPairs], const float* image,
                              const float* weights) {
  const typename V::Register w = V::load(weights);
  unrolled<kPairs>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
    V::multiply_add(sums[I], V::template broadcast_pair_at<0, 2 * I>(image, 0), w);
  });
}

template <typename V, int kPairs>
FLOWRAY_TILE void pair_forward_tile(const PairForward& p, int64_t first_pixel) {
  typename V::Register sums[kPairs];
  unrolled<kPairs>([&]<int I>() FLOWRAY_INLINE_LAMBDA { sums[I] = V::broadcast(0.0f); });
  const float* weights = p.filter;
  for (int64_t ky = 0; ky < p.filter_height; ++ky) {
    const float* image = p.image + p.runs[ky].a + first_pixel;
    for (int64_t kx = 0; kx < p.filter_width; ++kx) {
      pair_step<V, kPairs>(sums, image + kx, weights);
      weights += V::kWidth;
    }
  }
  alignas(64) float scratch[kPairs * V::kWidth];
  unrolled<kPairs>([&]<int I>() FLOWRAY_INLINE_LAMBDA { V::store(scratch + I * V::kWidth, sums[I]); });
  finish_pairs<V>(p, first_pixel, scratch, kPairs);
}

inline constexpr int kMostPairs = 14;

template <typename V>
void pair_forward(const PairForward& p) {
  static constexpr auto kPairTiles = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<void (*)(const PairForward&, int64_t), sizeof...(I)>{pair_forward_tile<V, I + 1>...};
  }(std::make_integer_sequence<int, kMostPairs>{});
  int64_t pairs_left = (p.out_width + 1) / 2;
  for (int64_t pixel = 0; pairs_left > 0;) {
    const int64_t pairs = next_part(pairs_left, kMostPairs);
    kPairTiles[static_cast<size_t>(pairs - 1)](p, pixel);
    pixel += 2 * pairs;
    pairs_left -= pairs;
  }
}

/// Adds the products of one pair of output pixels to the sums of kTaps filter places.
template <typename V, int kFilterWidth, int kTaps, size_t kBases>
FLOWRAY_INLINE void pair_backward_step(typename V::Register (&sums)[kTaps], const float* (&bases)[kBases],
                                       int64_t row, typename V::Register gradient) {
  unrolled<kTaps>([&]<int I>() FLOWRAY_INLINE_LAMBDA {
    constexpr int kRow = I / kFilterWidth;
    V::multiply_add(sums[I], V::template broadcast_pair_at<kRow % 3, I % kFilterWidth>(bases[kRow / 3], row),
                    gradient);
  });
  for (auto& base : bases) base += 2;
}

/// The sums for kFilterRows rows of the filter from `first_row` on.
template <typename V, int kFilterRows, int kFilterWidth>
FLOWRAY_TILE void pair_backward_filter_tile(const PairBackwardFilter& p, int64_t first_row) {
  using Register = typename V::Register;
  constexpr int kTaps = kFilterRows * kFilterWidth;
  constexpr int kBases = (kFilterRows + 2) / 3;
  float* totals = p.sums + first_row * kFilterWidth * V::kWidth;
  Register sums[kTaps];
  unrolled<kTaps>([&]<int I>() FLOWRAY_INLINE_LAMBDA { sums[I] = V::load(totals + I * V::kWidth); });
  const auto order = V::load_indices(kPixelsToPairs<V>[static_cast<size_t>(p.out_channels)].data());
  const float* gradient = p.gradient;
  const int64_t row = p.filter_row;
  for (int64_t y = 0; y < p.out_height; ++y) {
    const float* bases[kBases];
    for (int i = 0; i < kBases; ++i) bases[i] = p.image + y * p.row_step + (first_row + 3 * i) * row;
    for (int64_t x = 1; x < p.out_width; x += 2, gradient += 2 * p.out_channels) {
      const Register pixels = V::load_first(gradient, 2 * p.out_channels);
      pair_backward_step<V, kFilterWidth>(sums, bases, row, V::permute(pixels, order));
    }
    if (p.out_width % 2 != 0) {
      const Register pixel = V::load_first(gradient, p.out_channels);
      pair_backward_step<V, kFilterWidth>(sums, bases, row, V::permute(pixel, order));
      gradient += p.out_channels;
    }
  }
  unrolled<kTaps>([&]<int I>() FLOWRAY_INLINE_LAMBDA { V::store(totals + I * V::kWidth, sums[I]); });
}

/// All rows of a filter of kFilterWidth, as many at a time as leave 4 of 32 registers free.
template <typename V, int kFilterWidth>
void pair_backward_filter_rows(const PairBackwardFilter& p) {
  constexpr int kMostRows = 28 / kFilterWidth > 5 ? 5 : 28 / kFilterWidth;
  static constexpr auto kFilterTiles = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<void (*)(const PairBackwardFilter&, int64_t), sizeof...(I)>{
        pair_backward_filter_tile<V, I + 1, kFilterWidth>...};
  }(std::make_integer_sequence<int, kMostRows>{});
  for (int64_t row = 0; row < p.filter_height;) {
    const int64_t rows = next_part(p.filter_height - row, kMostRows);
    kFilterTiles[static_cast<size_t>(rows - 1)](p, row);
    row += rows;
  }
}

template <typename V>
void pair_backward_filter(const PairBackwardFilter& p) {
  if (p.filter_width == 3)
    pair_backward_filter_rows<V, 3>(p);
  else if (p.filter_width == 5)
    pair_backward_filter_rows<V, 5>(p);
  else
    pair_backward_filter_rows<V, 7>(p);
}

}  // namespace
}  // namespace flowray::ops::FLOWRAY_LEVEL
