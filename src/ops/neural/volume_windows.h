#pragma once
/// Windows that move over volumes: what the convolutions and pools of three dimensions share.

#include "graph/attributes.h"
#include "graph/shape_context.h"
#include "ops/neural/window_geometry.h"

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

/// The numbers of one pass over arrays [batch, depth, height, width, channels].
struct VolumeWindows {
  int64_t batch = 0;
  std::array<int64_t, 3> in = {};
  std::array<int64_t, 3> out = {};
  std::array<int64_t, 3> window = {};
  std::array<int64_t, 3> stride = {};
  std::array<int64_t, 3> dilation = {};
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
    for (int64_t i = 0; i < window[0]; ++i) {
      const int64_t plane = z + i * dilation[0];
      if (plane < 0 || plane >= in[0]) continue;
      for (int64_t j = 0; j < window[1]; ++j) {
        const int64_t row = y + j * dilation[1];
        if (row < 0 || row >= in[1]) continue;
        for (int64_t k = 0; k < window[2]; ++k) {
          const int64_t column = x + k * dilation[2];
          if (column < 0 || column >= in[2]) continue;
          visit((i * window[1] + j) * window[2] + k,
                ((image * in[0] + plane) * in[1] + row) * in[2] + column);
        }
      }
    }
  }
};

}  // namespace flowray::ops
