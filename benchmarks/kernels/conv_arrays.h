#pragma once
/// The three arrays of a convolution, of which each of its three kinds computes one from the others.

#include <cstdint>
#include <memory>

#include "ops/loops/conv_loops.h"

namespace flowray::ops {

enum class ConvKind { kForward, kBackwardInput, kBackwardFilter };

struct ConvArrays {
  std::shared_ptr<float> in, filter, out;

  /// The one that `kind` computes.
  std::shared_ptr<float>& result(ConvKind kind) {
    if (kind == ConvKind::kForward) return out;
    return kind == ConvKind::kBackwardInput ? in : filter;
  }
};

inline int64_t in_size(const Conv2DShape& s) { return s.batch * s.in_height * s.in_width * s.in_channels; }
inline int64_t out_size(const Conv2DShape& s) {
  return s.batch * s.out_height * s.out_width * s.out_channels;
}
inline int64_t filter_size(const Conv2DShape& s) {
  return s.filter_height * s.filter_width * s.in_channels * s.out_channels;
}
inline int64_t result_size(const Conv2DShape& s, ConvKind kind) {
  if (kind == ConvKind::kForward) return out_size(s);
  return kind == ConvKind::kBackwardInput ? in_size(s) : filter_size(s);
}

}  // namespace flowray::ops
