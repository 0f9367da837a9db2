#include "ops/reduce/reduce_axes.h"

#include <fmt/format.h>

namespace flowray::ops {

using graph::ShapeContext;

namespace {

[[noreturn]] void fail_out_of_range(bool running, int64_t axis, int rank) {
  // TensorFlow's kernel opens a parenthesis and never closes it; programs compare the text.
  if (running) {
    ShapeContext::fail(
        fmt::format("Invalid reduction dimension ({} for input with {} dimension(s)", axis, rank));
  }
  ShapeContext::fail(fmt::format("Invalid reduction dimension {} for input with {} dimensions.", axis, rank));
}

void check_axes(const ShapeContext& context, const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      fail_out_of_range(context.running(), axis, rank);
    }
    const auto dim = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (context.running() && seen[dim]) {
      ShapeContext::fail(
          fmt::format("Invalid reduction arguments: Axes contains duplicate dimension: {}", dim));
    }
    seen[dim] = true;
  }
}

}  // namespace

std::vector<bool> reduced_dims(const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int64_t axis : axes) reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  return reduced;
}

void reduction_shape(ShapeContext& context) {
  const Shape& input = context.input(0);
  const Shape& axes_shape = context.input(1);
  if (!context.running() && axes_shape.rank() > 1) {
    ShapeContext::fail(fmt::format("Shape must be at most rank 1 but is rank {}", axes_shape.rank()));
  }
  const bool keep_dims = context.attrs().get<bool>("keep_dims");
  if (!input.has_rank()) return;
  if (context.value(1) == nullptr) {
    if (keep_dims) context.set_output(0, Shape::of_rank(input.rank()));
    return;
  }
  const std::vector<int64_t> axes = context.integers(1);
  check_axes(context, axes, input.rank());
  const std::vector<bool> reduced = reduced_dims(axes, input.rank());
  Shape output;
  for (int i = 0; i < input.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      output.push_back(input.dim(i));
    } else if (keep_dims) {
      output.push_back(1);
    }
  }
  context.set_output(0, output);
}

}  // namespace flowray::ops
