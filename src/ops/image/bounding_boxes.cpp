// DrawBoundingBoxes: the edges of boxes as lines of one pixel on images.

#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/image/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

using Color = std::array<float, 4>;  // red, green, blue, and how much covers

/// Those of the first version, one box after the other; on grey images all are white.
std::vector<Color> usual_colors(int64_t depth) {
  std::vector<Color> colors = {{1, 1, 0, 1},     {0, 0, 1, 1},     {1, 0, 0, 1},   {0, 1, 0, 1},
                               {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1},
                               {0, 1, 1, 1},     {1, 0, 1, 1}};
  if (depth == 1) {
    for (Color& color : colors) color[0] = 1;
  }
  return colors;
}

std::vector<Color> colors_of(const Array& table, int64_t depth) {
  if (table.rank() != 2) {
    invalid_argument("colors must be a 2-D matrix" + table.shape().to_string());
  }
  if (table.dim(1) < depth) {
    invalid_argument("colors must have equal or more channels than the image provided: " +
                     table.shape().to_string());
  }
  if (table.size() == 0) return usual_colors(depth);
  std::vector<Color> colors(static_cast<size_t>(table.dim(0)), Color{});
  for (size_t i = 0; i < colors.size(); ++i) {
    const float* const row = table.data<float>() + static_cast<int64_t>(i) * table.dim(1);
    std::copy_n(row, std::min<int64_t>(table.dim(1), 4), colors[i].begin());
  }
  return colors;
}

/// A share of the pixels of one dimension as a place, cut towards zero; far outside is outside.
int64_t place_of(float share, int64_t pixels) {
  const float place = share * static_cast<float>(pixels - 1);
  if (std::isnan(place)) return -1;
  constexpr float kFar = 4.0e18f;
  return static_cast<int64_t>(std::clamp(place, -kFar, kFar));
}

struct Picture {
  float* pixels;
  int64_t height;
  int64_t width;
  int64_t depth;

  void put(int64_t y, int64_t x, const Color& color) const {
    std::copy_n(color.begin(), depth, pixels + (y * width + x) * depth);
  }

  /// `corners`: the shares of top, left, bottom and right. What is upside down, or outside, is left out.
  void draw(const float* corners, const Color& color) const {
    const int64_t top = place_of(corners[0], height);
    const int64_t left = place_of(corners[1], width);
    const int64_t bottom = place_of(corners[2], height);
    const int64_t right = place_of(corners[3], width);
    if (top > bottom || left > right) return;
    if (top >= height || bottom < 0 || left >= width || right < 0) return;
    const int64_t first_row = std::max<int64_t>(top, 0);
    const int64_t last_row = std::min(bottom, height - 1);
    const int64_t first_column = std::max<int64_t>(left, 0);
    const int64_t last_column = std::min(right, width - 1);
    for (int64_t x = first_column; x <= last_column; ++x) {
      if (top >= 0) put(top, x, color);
      if (bottom < height) put(bottom, x, color);
    }
    for (int64_t y = first_row; y <= last_row; ++y) {
      if (left >= 0) put(y, left, color);
      if (right < width) put(y, right, color);
    }
  }
};

void check_drawing(const Array& images, const Array& boxes) {
  if (images.rank() != 4) invalid_argument("The rank of the images should be 4");
  if (boxes.rank() != 3) invalid_argument("The rank of the boxes tensor should be 3");
  if (images.dim(0) != boxes.dim(0)) invalid_argument("The batch sizes should be the same");
  const int64_t depth = images.dim(3);
  if (depth != 1 && depth != 3 && depth != 4) {
    invalid_argument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  if (boxes.dim(2) != 4) {
    invalid_argument(
        fmt::format("The size of the third dimension of the box must be 4. Received: {}", boxes.dim(2)));
  }
}

void draw_bounding_boxes(DynamicCall& call) {
  const Array& images = call.in(0);
  const Array& boxes = call.in(1);
  check_drawing(images, boxes);
  const int64_t depth = images.dim(3);
  const std::vector<Color> colors =
      call.num_inputs() > 2 ? colors_of(call.in(2), depth) : usual_colors(depth);
  Array drawn = images.astype(DType::kFloat32);
  const int64_t elements = images.dim(0) == 0 ? 0 : images.size() / images.dim(0);  // of one
  if (drawn.size() > 0) {
    float* const pixels = drawn.mutable_data<float>();
    for (int64_t b = 0; b < images.dim(0); ++b) {
      const Picture picture{pixels + b * elements, images.dim(1), images.dim(2), depth};
      const float* const corners = boxes.data<float>() + b * boxes.dim(1) * 4;
      for (int64_t i = 0; i < boxes.dim(1); ++i) {
        picture.draw(corners + 4 * i, colors[static_cast<size_t>(i) % colors.size()]);
      }
    }
  }
  call.set_out(0, drawn.astype(images.dtype()));
}

void drawn_shape(ShapeContext& context) {
  if (context.running()) return context.set_output(0, context.input(0));  // the kernel's words are others
  context.with_rank(1, 3);
  context.set_output(0, context.with_rank_at_least(0, 3));
}

constexpr graph::OpRow kBoundingBoxOps[] = {
    {.name = "DrawBoundingBoxes",
     .inputs = "images:T, boxes:float32",
     .outputs = "output:T",
     .attrs = "T:type=float32{[float32,float16]}",
     .shape = drawn_shape,
     .not_differentiable = true,
     .compute = draw_bounding_boxes},
    {.name = "DrawBoundingBoxesV2",
     .inputs = "images:T, boxes:float32, colors:float32",
     .outputs = "output:T",
     .attrs = "T:type=float32{[float32,float16]}",
     .shape = drawn_shape,
     .compute = draw_bounding_boxes},
};

}  // namespace

void register_bounding_box_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kBoundingBoxOps) table.add(row);
}

}  // namespace flowray::ops
