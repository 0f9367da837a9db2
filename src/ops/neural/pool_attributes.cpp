#include "ops/neural/pool_attributes.h"

#include "ops/python_nodes/python_nodes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace flowray::ops {

using graph::Attrs;
using graph::PrepareContext;
using graph::ShapeContext;

PoolAttrs::PoolAttrs(const Attrs& attrs) : order(data_order(attrs)), padding(padding_of(attrs)) {
  const auto strides =
      window_attr(attrs, "strides",
                  "Pooling on data format {} requires the stride attribute to contain 4 values, but got: {}");
  const auto windows =
      window_attr(attrs, "ksize",
                  "Pooling on data format {} requires the ksize attribute to contain 4 values, but got: {}");
  WindowDim* dims[] = {&batch, &height, &width, &channels};
  for (size_t i = 0; i < 4; ++i) {
    if (strides[i] <= 0) ShapeContext::fail(fmt::format("Stride must be > 0, but got {}", strides[i]));
    dims[i]->window = windows[i];
    dims[i]->stride = strides[i];
  }
  if (attrs.contains("explicit_paddings")) set_explicit_paddings(attrs, padding, order, height, width);
}

void check_running(const PoolAttrs& pool, const Attrs& attrs, bool are_inputs) {
  const WindowDim* dims[] = {&pool.batch, &pool.height, &pool.width, &pool.channels};
  for (const WindowDim* dim : dims) {
    if (dim->window > 0) continue;
    if (are_inputs) ShapeContext::fail("Sliding window ksize must be positive.");
    const auto& ksize = attrs.get<std::vector<int64_t>>("ksize");
    ShapeContext::fail(
        fmt::format("Sliding window ksize must be positive. The specified or inferred ksize is: {}",
                    fmt::join(ksize, ",")));
  }
  const std::tuple<const char*, int64_t, int64_t> sides[] = {
      {"Top", pool.height.pad_before, pool.height.window},
      {"Bottom", pool.height.pad_after, pool.height.window},
      {"Left", pool.width.pad_before, pool.width.window},
      {"Right", pool.width.pad_after, pool.width.window}};
  for (const auto& [side, pad, window] : sides) {
    if (pad < window) continue;
    ShapeContext::fail(
        fmt::format("{} padding {} needs to be smaller than the window size {}", side, pad, window));
  }
}

Shape pooled_shape(const PoolAttrs& pool, const Shape& in, bool running) {
  const auto places = [&](int dim, const WindowDim& window) {
    return places_of(in.dim(dim), window, pool.padding, running).count;
  };
  const int64_t rows = places(pool.order.height, pool.height);
  const int64_t columns = places(pool.order.width, pool.width);
  const bool deep = pool.channels.window != 1 || pool.channels.stride != 1;
  const int64_t channels = in.dim(pool.order.channels);
  const int64_t out_channels =
      deep ? places_of(channels, pool.channels, pool.padding, running).count : channels;
  return image_shape(pool.order, in.dim(pool.order.batch), rows, columns, out_channels);
}

void check_running_gradient(const char* name, const Shape& actual, const Shape& expected) {
  if (actual == expected) return;
  ShapeContext::fail(
      fmt::format("Expected {} shape to be {}, but got {}", name, expected.to_string(), actual.to_string()));
}

Pool2DShape kernel_shape(const PrepareContext& context, const Shape& in, const Shape& out, int sizes) {
  const PoolAttrs pool(*attrs_of(context, sizes));
  const std::string& op = context.schema().name;
  const graph::AttrValue* const format = context.attrs().find("data_format");
  if (format != nullptr && format->get<std::string>() != "NHWC") {
    throw errors::InvalidArgumentError(
        fmt::format("Default {}ingOp only supports NHWC on device type CPU", op.substr(0, op.find("Grad"))));
  }
  if (pool.batch.window != 1 || pool.batch.stride != 1) {
    throw errors::UnimplementedError("Pooling is not yet supported on the batch dimension.");
  }
  if (pool.channels.window != 1 || pool.channels.stride != 1) {
    const bool flat = pool.height.window == 1 && pool.width.window == 1;
    throw errors::UnimplementedError(
        flat ? "Non-spatial pooling is not yet supported."
             : "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  // Where images have no elements, their other dimensions may be of any size.
  if (in.num_elements() == 0) return {};
  return {.batch = in.dim(0),
          .in_height = in.dim(1),
          .in_width = in.dim(2),
          .channels = in.dim(3),
          .window_height = pool.height.window,
          .window_width = pool.width.window,
          .stride_height = pool.height.stride,
          .stride_width = pool.width.stride,
          .out_height = out.dim(1),
          .out_width = out.dim(2),
          .pad_top = places_of(in.dim(1), pool.height, pool.padding, true).pad_before,
          .pad_left = places_of(in.dim(2), pool.width, pool.padding, true).pad_before};
}

graph::Attrs pool_attrs(const graph::GradientContext& g) {
  graph::Attrs attrs;
  for (const char* name : {"ksize", "strides", "padding", "data_format"}) {
    if (const graph::AttrValue* value = g.attrs().find(name)) attrs.set(name, *value);
  }
  return attrs;
}

std::vector<graph::Endpoint> max_pool_second_gradient(graph::GradientContext& g, std::string_view op) {
  const graph::Endpoint of_input = python_zeros_like(g, g.input(0));
  const graph::Endpoint of_output = python_zeros_like(g, g.input(1));
  return {of_input, of_output, g.op(op, {g.input(0), g.input(1), g.grad()}, pool_attrs(g))};
}

}  // namespace flowray::ops
