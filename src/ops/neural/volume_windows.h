#pragma once
/// Windows that move over volumes: what the convolutions and pools of three dimensions share.

#include "core/wrapping.h"
#include "graph/attributes.h"
#include "graph/shape_context.h"
#include "ops/neural/window_geometry.h"

#include <algorithm>
#include <array>

namespace flowray::ops {

/// The attributes of these ops, read and checked; windows of convolutions are the filter's, unknown here.
struct VolumeAttrs {
  bool channels_first = false;
  Padding padding = Padding::kValid;
  std::array<WindowDim, 3> dims = {};
  bool moves_in_batch = false;  ///< By a stride, dilation or window of more than one.
  bool moves_in_channels = false;

  explicit VolumeAttrs(const graph::Attrs& attrs);

  int channels() const { return channels_first ? 1 : 4; }
  int spatial(int i) const { return i + (channels_first ? 2 : 1); }
};

/// The shape of what the windows make of `in`, with so many channels.
Shape windows_shape(const VolumeAttrs& attrs, const Shape& in, int64_t channels, bool running);

/// The numbers of one pass over arrays [batch, depth, height, width,
/// channels] with windows that are not dilated.
struct VolumeWindows {
  int64_t batch = 0;
  std::array<int64_t, 3> in = {};
  std::array<int64_t, 3> out = {};
  std::array<int64_t, 3> window = {};
  std::array<int64_t, 3> stride = {};
  std::array<int64_t, 3> before = {};  ///< Zeros before the first element.

  VolumeWindows(const VolumeAttrs& attrs, const Shape& in_shape, const Shape& out_shape);

  int64_t taps() const { return window[0] * window[1] * window[2]; }
  int64_t out_places() const { return batch * out[0] * out[1] * out[2]; }
  int64_t in_places() const { return batch * in[0] * in[1] * in[2]; }

  /// visit(tap, place in the input) for what lies in the volume under the window of an output place.
  template <class Visit>
  void for_taps(int64_t out_place, const Visit& visit) const {
    const int64_t x = out_place % out[2] * stride[2] - before[2];
    const int64_t y = out_place / out[2] % out[1] * stride[1] - before[1];
    const int64_t z = out_place / (out[2] * out[1]) % out[0] * stride[0] - before[0];
    const int64_t image = out_place / (out[2] * out[1] * out[0]);
    // A window may be far larger than the volume: only what lies in it is walked through.
    for (int64_t i = std::max<int64_t>(0, -z); i < std::min(window[0], in[0] - z); ++i) {
      for (int64_t j = std::max<int64_t>(0, -y); j < std::min(window[1], in[1] - y); ++j) {
        for (int64_t k = std::max<int64_t>(0, -x); k < std::min(window[2], in[2] - x); ++k) {
          // The number of a filter's tap fits; pools, whose windows may be of any size, do not read it.
          const int64_t tap =
              wrapping_add(wrapping_multiply(wrapping_add(wrapping_multiply(i, window[1]), j), window[2]), k);
          visit(tap, ((image * in[0] + z + i) * in[1] + y + j) * in[2] + x + k);
        }
      }
    }
  }
};

}  // namespace flowray::ops
