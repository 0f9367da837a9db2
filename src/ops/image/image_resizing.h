#pragma once
/// What all ways to resize images share: the shapes, the flags, how far apart pixels of the grids lie.

#include "core/dtype_dispatch.h"
#include "graph/attributes.h"
#include "graph/shape_context.h"

#include <flowray/float16.h>

#include <cstdint>

namespace flowray::ops {

/// What images are made of.
using ImageTypes =
    TypeList<float, double, float16, bfloat16, int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t>;

/// How an op refuses images and sizes in a step.
struct ResizingRules {
  const char* size_error = "output dimensions must be positive";
  bool needs_channels = false;
};

/// Images of input 0, [batch, height, width, channels], of the size that input 1 says.
void set_resized_shape(graph::ShapeContext& context, const ResizingRules& rules = {});
/// The gradient of images (input 1) for those of another size (input 0). In a step the images must have
/// pixels; `needs_pixels`: and be refused in ResizeBilinear's words where they have none.
void set_resizing_gradient_shape(graph::ShapeContext& context, bool needs_pixels);

/// Where the pixels of two grids lie.
struct ResizingFlags {
  bool align_corners;
  bool half_pixel_centers;
};
/// Throws InvalidArgumentError where both are set.
ResizingFlags resizing_flags(const graph::Attrs& attrs);
/// Both flags, for the node of a gradient.
graph::Attrs resizing_attrs(const graph::Attrs& attrs);

/// How far apart pixels of a row or column of `out` pixels lie in one of `in`.
inline float resizing_scale(int64_t in, int64_t out, bool align_corners) {
  if (align_corners && out > 1) return static_cast<float>(in - 1) / static_cast<float>(out - 1);
  return static_cast<float>(in) / static_cast<float>(out);
}

}  // namespace flowray::ops
