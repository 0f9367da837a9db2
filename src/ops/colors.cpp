// RGBToHSV and HSVToRGB: colours as red, green and blue, or as hue, saturation and value. AdjustHue and
// AdjustSaturation.

#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/element_types.h"
#include "ops/kernel_for_dtype.h"
#include "ops/nn_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void color_shape(ShapeContext& context) {
  const Shape& images = context.input(0);
  if (context.running()) {
    if (images.rank() < 1) ShapeContext::fail("input must be at least 1D" + images.to_string());
    if (images.dim(-1) != 3) {
      throw errors::FailedPreconditionError(
          fmt::format("input must have 3 channels but input only has {} channels.", images.dim(-1)));
    }
  }
  Shape shape = context.with_rank_at_least(0, 1);
  if (shape.has_rank()) shape.set_dim(-1, ShapeContext::merge_dim(shape.dim(-1), 3));
  context.set_output(0, shape);
}

template <class T>
struct ToHsv {
  static void apply(const T* in, T* out) {
    const T red = in[0];
    const T green = in[1];
    const T blue = in[2];
    const T value = std::max({red, green, blue});
    const T range = value - std::min({red, green, blue});
    const T norm = T(1) / (T(6) * range);
    T hue = red == value     ? norm * (green - blue)
            : green == value ? norm * (blue - red) + T(2) / T(6)
                             : norm * (red - green) + T(4) / T(6);
    if (!(range > T(0))) hue = T(0);
    out[0] = hue < T(0) ? hue + T(1) : hue;
    out[1] = value > T(0) ? range / value : T(0);
    out[2] = value;
  }
};

template <class T>
struct ToRgb {
  static T clamped(T x) { return std::clamp(x, T(0), T(1)); }
  static void apply(const T* in, T* out) {
    const T hue = in[0] * T(6);
    const T red = clamped(std::abs(hue - T(3)) - T(1));
    const T green = clamped(T(2) - std::abs(hue - T(2)));
    const T blue = clamped(T(2) - std::abs(hue - T(4)));
    const T rest = T(1) - in[1];
    out[0] = (rest + in[1] * red) * in[2];
    out[1] = (rest + in[1] * green) * in[2];
    out[2] = (rest + in[1] * blue) * in[2];
  }
};

template <template <class> class Change>
std::unique_ptr<graph::Kernel> prepare_colors(PrepareContext& context) {
  const int64_t pixels = context.output_shape(0).num_elements() / 3;
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([pixels](const KernelCall& call) {
      constexpr int64_t kPixelsPerWorker = 4096;
      call.parallel().for_range(pixels, kPixelsPerWorker, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) Change<T>::apply(call.in<T>(0) + 3 * i, call.out<T>(0) + 3 * i);
      });
    });
  });
}

void adjust_shape(ShapeContext& context) {
  const Shape& images = context.input(0);
  if (context.running()) {
    const bool of_hue = context.schema().name == "AdjustHue";
    if (images.rank() < 3) ShapeContext::fail("input must be at least 3-D, got shape" + images.to_string());
    if (context.input(1).rank() != 0) {
      ShapeContext::fail(
          fmt::format("{} must be scalar: {}", of_hue ? "delta" : "scale", context.input(1).to_string()));
    }
    if (images.dim(-1) != 3)
      ShapeContext::fail(
          fmt::format("input must have 3 channels but instead has {} channels.", images.dim(-1)));
  }
  context.with_rank(1, 0);
  context.set_output(0, context.with_rank_at_least(0, 3));
}

struct TurnHue {
  static void apply(float* hsv, float delta) { hsv[0] += delta - std::floor(hsv[0] + delta); }
};
struct ScaleSaturation {
  static void apply(float* hsv, float scale) { hsv[1] = std::clamp(hsv[1] * scale, 0.0f, 1.0f); }
};

/// Colours with one of their parts changed.
template <class Change>
std::unique_ptr<graph::Kernel> prepare_adjusted(PrepareContext& context) {
  const int64_t pixels = context.output_shape(0).num_elements() / 3;
  return kernel_for_dtype<TypeList<float>>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([pixels](const KernelCall& call) {
      const float by = *call.in<float>(1);
      for (int64_t i = 0; i < pixels; ++i) {
        T hsv[3];
        ToHsv<T>::apply(call.in<T>(0) + 3 * i, hsv);
        Change::apply(hsv, by);
        ToRgb<T>::apply(hsv, call.out<T>(0) + 3 * i);
      }
    });
  });
}

}  // namespace

void register_color_ops(graph::OpTable& table) {
  const auto add = [&](std::string_view name, graph::PrepareFunction prepare,
                       bool not_differentiable = false) {
    table.add({.name = name,
               .inputs = "images:T",
               .outputs = "output:T",
               .attrs = "T:type=float32{[float16,bfloat16,float32,float64]}",
               .shape = color_shape,
               .not_differentiable = not_differentiable,
               .prepare = prepare});
  };
  const auto add_adjusting = [&](std::string_view name, std::string_view inputs,
                                 graph::PrepareFunction prepare) {
    table.add({.name = name,
               .inputs = inputs,
               .outputs = "output:T",
               .attrs = "T:type=float32{[float16,float32]}",
               .shape = adjust_shape,
               .prepare = prepare});
  };
  add("RGBToHSV", prepare_colors<ToHsv>);
  add("HSVToRGB", prepare_colors<ToRgb>, /*not_differentiable=*/true);
  add_adjusting("AdjustHue", "images:T, delta:float32", prepare_adjusted<TurnHue>);
  add_adjusting("AdjustSaturation", "images:T, scale:float32", prepare_adjusted<ScaleSaturation>);
}

}  // namespace flowray::ops
