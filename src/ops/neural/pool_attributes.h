#pragma once
/// What the ops of pooling are told: windows, strides and paddings, and the sizes that follow.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/loops/pool_loops.h"
#include "ops/neural/window_geometry.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace flowray::ops {

struct PoolAttrs {
  DataOrder order;
  Padding padding;
  WindowDim batch;
  WindowDim height;
  WindowDim width;
  WindowDim channels;

  explicit PoolAttrs(const graph::Attrs& attrs);
};

/// The attributes of a pooling; where ksize and strides are inputs, from `first` on, these. Of unknown
/// ones none.
template <class Context>
std::optional<graph::Attrs> attrs_of(const Context& context, int first) {
  graph::Attrs attrs = context.attrs();
  if (!attrs.contains("data_format")) attrs.set("data_format", std::string("NHWC"));
  if (attrs.contains("ksize")) return attrs;
  constexpr const char* kNames[] = {"ksize", "strides"};
  for (int i = 0; i < 2; ++i) {
    if constexpr (std::is_same_v<Context, graph::ShapeContext>) {
      if (!context.running() && context.value(first + i) == nullptr) return std::nullopt;
    }
    const std::vector<int64_t> sizes = context.integers(first + i);
    if (sizes.size() != 4)
      graph::ShapeContext::fail(
          fmt::format("Sliding window {} field must specify 4 dimensions", i == 0 ? "ksize" : "stride"));
    attrs.set(kNames[i], sizes);
  }
  return attrs;
}

/// What TensorFlow's kernels refuse, in its words. `are_inputs`: the sizes are inputs.
void check_running(const PoolAttrs& pool, const graph::Attrs& attrs, bool are_inputs = false);
void check_running_gradient(const char* name, const Shape& actual, const Shape& expected);
Shape pooled_shape(const PoolAttrs& pool, const Shape& in, bool running);

/// For the kernels, which do less than the attributes can say. `sizes`: the first of the inputs that are
/// ksize and strides, for ops that have them.
Pool2DShape kernel_shape(const graph::PrepareContext& context, const Shape& in, const Shape& out, int sizes);

/// The attributes that a pooling of 2 or 3 dimensions shares with its gradient;
/// without those that are inputs.
graph::Attrs pool_attrs(const graph::GradientContext& g);
/// The gradient of an op that takes a pooling's input, its output and a gradient; `op` is that of the third.
std::vector<graph::Endpoint> max_pool_second_gradient(graph::GradientContext& g, std::string_view op);

}  // namespace flowray::ops
