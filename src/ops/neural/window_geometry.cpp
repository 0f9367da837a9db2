#include "ops/neural/window_geometry.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {

using graph::Attrs;
using graph::ShapeContext;

Padding padding_of(const Attrs& attrs) {
  const std::string& padding = attrs.get<std::string>("padding");
  if (padding == "SAME") return Padding::kSame;
  return padding == "VALID" ? Padding::kValid : Padding::kExplicit;
}

WindowPlaces places_of(int64_t in, const WindowDim& dim, Padding padding, bool running) {
  if (in < 0 || dim.window < 0) return {Shape::kUnknownDim, 0};
  if (padding == Padding::kSame) {
    const int64_t count = (checked(in) + dim.stride - 1) / dim.stride;
    const int64_t reached = (checked(count) - 1) * dim.stride + dim.covered();
    return {count, std::max<int64_t>(0, reached - in) / 2};
  }
  const int64_t padded =
      padding == Padding::kExplicit ? checked(in) + dim.pad_before + dim.pad_after : checked(in);
  if (padded < dim.covered() && !running) {
    ShapeContext::fail(
        fmt::format("Negative dimension size caused by subtracting {} from {}", dim.covered(), padded));
  }
  const int64_t count = (checked(padded) - dim.covered() + dim.stride) / dim.stride;
  if (count < 0) {
    ShapeContext::fail(fmt::format(
        "Computed output size would be negative: {} [input_size: {}, effective_filter_size: {}, stride: {}]",
        count, in, dim.covered(), dim.stride));
  }
  return {count, dim.pad_before};
}

DataOrder data_order(const Attrs& attrs) {
  if (attrs.get<std::string>("data_format") == "NCHW")
    return {.batch = 0, .height = 2, .width = 3, .channels = 1};
  return {};
}

std::vector<int64_t> window_attr(const Attrs& attrs, std::string_view name, std::string_view wording) {
  const auto& values = attrs.get<std::vector<int64_t>>(name);
  if (values.size() != 4) {
    ShapeContext::fail(
        fmt::format(fmt::runtime(wording), attrs.get<std::string>("data_format"), values.size()));
  }
  for (const int64_t value : values) (void)checked_int32(fmt::format("Attr {}", name), value);
  const DataOrder order = data_order(attrs);
  const auto at = [&](int i) { return values[static_cast<size_t>(i)]; };
  return {at(order.batch), at(order.height), at(order.width), at(order.channels)};
}

void set_explicit_paddings(const Attrs& attrs, Padding padding, const DataOrder& order, WindowDim& height,
                           WindowDim& width) {
  const auto& pads = attrs.get<std::vector<int64_t>>("explicit_paddings");
  if (padding != Padding::kExplicit) {
    if (pads.empty()) return;
    ShapeContext::fail("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (pads.size() != 8) {
    ShapeContext::fail(
        fmt::format("explicit_paddings attribute must contain 8 values, but got: {}", pads.size()));
  }
  if (std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad < 0; })) {
    ShapeContext::fail("All elements of explicit_paddings must be nonnegative");
  }
  const auto pair = [&](int dim) { return pads.begin() + 2 * dim; };
  for (int dim : {order.batch, order.channels}) {
    if (pair(dim)[0] != 0 || pair(dim)[1] != 0) {
      ShapeContext::fail("Nonzero explicit padding in the batch or depth dimensions is not supported");
    }
  }
  height.pad_before = pair(order.height)[0];
  height.pad_after = pair(order.height)[1];
  width.pad_before = pair(order.width)[0];
  width.pad_after = pair(order.width)[1];
}

Shape image_shape(const DataOrder& order, int64_t batch, int64_t height, int64_t width, int64_t channels) {
  Shape shape = Shape::of_rank(4);
  shape.set_dim(order.batch, batch);
  shape.set_dim(order.height, height);
  shape.set_dim(order.width, width);
  shape.set_dim(order.channels, channels);
  return shape;
}

}  // namespace flowray::ops
