#include "ops/image/image_resizing.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <vector>

namespace flowray::ops {

using graph::ShapeContext;

namespace {

void check_has_pixels(const Shape& images, const char* name) {
  if (images.dim(1) <= 0 || images.dim(2) <= 0)
    ShapeContext::fail(fmt::format("{} must be of non-zero size", name));
}

void check_running_images(const ShapeContext& context, int i, const char* name) {
  const Shape& shape = context.input(i);
  if (shape.rank() != 4)
    ShapeContext::fail(fmt::format("{} must be 4-dimensional{}", name, shape.to_string()));
}

}  // namespace

void set_resized_shape(ShapeContext& context, const ResizingRules& rules) {
  if (context.running()) {
    check_running_images(context, 0, "input");
    const Shape& size = context.input(1);
    if (size.rank() != 1) ShapeContext::fail("shape_t must be 1-dimensional" + size.to_string());
    if (size.dim(0) != 2) ShapeContext::fail("shape_t must have two elements" + size.to_string());
  }
  Shape shape = context.with_rank(0, 4);
  ShapeContext::merge_dim(context.with_rank(1, 1).dim(0), 2);
  const bool known = context.running() || context.value(1) != nullptr;
  const std::vector<int64_t> size = known ? context.integers(1) : std::vector<int64_t>{-1, -1};
  if (context.running()) {
    if (size[0] <= 0 || size[1] <= 0) ShapeContext::fail(rules.size_error);
    if (rules.needs_channels && shape.dim(3) <= 0) ShapeContext::fail("image must have at least one channel");
    check_has_pixels(shape, "input image");
  }
  shape.set_dim(1, size[0]);
  shape.set_dim(2, size[1]);
  context.set_output(0, shape);
}

void set_resizing_gradient_shape(ShapeContext& context, bool needs_pixels) {
  if (context.running()) {
    check_running_images(context, 0, "input_grad");
    check_running_images(context, 1, "original_image");
  }
  const Shape grads = context.with_rank(0, 4);
  const Shape image = context.with_rank(1, 4);
  if (needs_pixels && context.running()) check_has_pixels(image, "original_image");
  if (context.running() && (image.dim(1) == 0 || image.dim(2) == 0))
    ShapeContext::fail("original dimensions must be positive");
  ShapeContext::merge_dim(grads.dim(0), image.dim(0));
  ShapeContext::merge_dim(grads.dim(3), image.dim(3));
  context.set_output(0, image);
}

ResizingFlags resizing_flags(const graph::Attrs& attrs) {
  const ResizingFlags flags{.align_corners = attrs.get<bool>("align_corners"),
                            .half_pixel_centers = attrs.get<bool>("half_pixel_centers")};
  if (flags.align_corners && flags.half_pixel_centers) {
    throw errors::InvalidArgumentError("If half_pixel_centers is True, align_corners must be False.");
  }
  return flags;
}

graph::Attrs resizing_attrs(const graph::Attrs& attrs) {
  return {{"align_corners", attrs.get<bool>("align_corners")},
          {"half_pixel_centers", attrs.get<bool>("half_pixel_centers")}};
}

}  // namespace flowray::ops
