#include "ops/neural/volume_windows.h"

#include <fmt/format.h>

namespace flowray::ops {

using graph::Attrs;
using graph::ShapeContext;

namespace {

const std::vector<int64_t>& five_numbers(const Attrs& attrs, const char* name, const char* wording) {
  const auto& numbers = attrs.get<std::vector<int64_t>>(name);
  for (const int64_t number : numbers) (void)checked_int32(fmt::format("Attr {}", name), number);
  if (numbers.size() != 5) ShapeContext::fail(fmt::format(fmt::runtime(wording), numbers.size()));
  return numbers;
}

}  // namespace

VolumeAttrs::VolumeAttrs(const Attrs& attrs) : padding(padding_of(attrs)) {
  const graph::AttrValue* format = attrs.find("data_format");
  channels_first = format != nullptr && format->get<std::string>() == "NCDHW";
  const bool is_pool = attrs.contains("ksize");
  const auto take = [&](const std::vector<int64_t>& numbers, int64_t WindowDim::* member) {
    for (int i = 0; i < 3; ++i)
      dims[static_cast<size_t>(i)].*member = numbers[static_cast<size_t>(spatial(i))];
    if (numbers[0] != 1) moves_in_batch = true;
    if (numbers[static_cast<size_t>(channels())] != 1) moves_in_channels = true;
  };
  if (is_pool) {
    take(five_numbers(attrs, "ksize",
                      "Pool3D ops require the ksize attribute to contain 5 values, but got: {}"),
         &WindowDim::window);
  } else {
    take(five_numbers(attrs, "dilations",
                      "Conv3D requires the dilation attribute to contain 5 values, but got: {}"),
         &WindowDim::dilation);
  }
  take(five_numbers(attrs, "strides",
                    is_pool ? "Pool3D ops require the stride attribute to contain 5 values, but got: {}"
                            : "Conv3D requires the stride attribute to contain 5 values, but got: {}"),
       &WindowDim::stride);
  for (const WindowDim& dim : dims) {
    if (dim.stride <= 0) ShapeContext::fail(fmt::format("Stride must be > 0, but got {}", dim.stride));
    if (dim.dilation < 1)
      ShapeContext::fail(fmt::format("Dilation rate must be >= 1, but got {}", dim.dilation));
  }
}

Shape windows_shape(const VolumeAttrs& attrs, const Shape& in, int64_t channels, bool running) {
  Shape out = Shape::of_rank(5);
  out.set_dim(0, in.dim(0));
  out.set_dim(attrs.channels(), channels);
  for (int i = 0; i < 3; ++i) {
    const int dim = attrs.spatial(i);
    out.set_dim(dim,
                places_of(in.dim(dim), attrs.dims[static_cast<size_t>(i)], attrs.padding, running).count);
  }
  return out;
}

VolumeWindows::VolumeWindows(const VolumeAttrs& attrs, const Shape& in_shape, const Shape& out_shape)
    : batch(in_shape.dim(0)) {
  for (size_t i = 0; i < 3; ++i) {
    const WindowDim& dim = attrs.dims[i];
    in[i] = in_shape.dim(static_cast<int>(i) + 1);
    out[i] = out_shape.dim(static_cast<int>(i) + 1);
    window[i] = dim.window;
    stride[i] = dim.stride;
    before[i] = places_of(in[i], dim, attrs.padding, true).pad_before;
  }
}

}  // namespace flowray::ops
