#pragma once

#include <algorithm>

namespace flowray::ops {

/// A box from any two of its opposite corners.
struct OverlappingBox {
  float top, left, bottom, right;

  explicit OverlappingBox(const float* corners)
      : top(std::min(corners[0], corners[2])),
        left(std::min(corners[1], corners[3])),
        bottom(std::max(corners[0], corners[2])),
        right(std::max(corners[1], corners[3])) {}
  float area() const { return (bottom - top) * (right - left); }
};

/// The area that both share, of the area that they cover together.
inline float overlap(const OverlappingBox& a, const OverlappingBox& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f);
  const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  const float both = height * width;
  return both / (a.area() + b.area() - both);
}

}  // namespace flowray::ops
