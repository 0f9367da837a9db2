// RGBToHSV and HSVToRGB: colours as red, green and blue, or as hue, saturation and value. AdjustHue
// and AdjustSaturation.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/image/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
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

/// x with the next channel of a pixel (shift -1) or the one before (1) in each channel's place.
Endpoint turned(GradientContext& g, Endpoint x, int32_t shift) {
  return g.op("Roll", {x, g.constant(Array(shift), "shift"), g.constant(Array(int32_t{-1}), "axis")});
}

/// Which channel is the biggest, or the smallest one, as a 1 among zeros. Of equal ones the biggest is the
/// first, the smallest the last.
Endpoint mask_of_extreme(GradientContext& g, Endpoint x, bool is_biggest) {
  const Endpoint axis = g.constant(Array(int32_t{-1}), "dimension");
  const Endpoint ordered =
      is_biggest ? x : g.op("ReverseV2", {x, g.constant(Array(std::vector<int32_t>{-1}), "axis")});
  const Endpoint place =
      g.op(is_biggest ? "ArgMax" : "ArgMin", {ordered, axis}, {{"output_type", DType::kInt32}});
  const DType dtype = x.dtype();
  const Endpoint mask = g.op("OneHot", {place, g.constant(Array(int32_t{3}), "depth"),
                                        python_number(g, 1, dtype), python_number(g, 0, dtype)});
  return is_biggest ? mask : g.op("ReverseV2", {mask, g.constant(Array(std::vector<int32_t>{-1}), "axis")});
}

/// With M and m the masks of the biggest and the smallest channel, V and v what these are and R = V - v:
/// hue = const + n / (6 R) with n = M (next - one before), saturation = R / V, value = V. As in TensorFlow
/// the hue of a pixel without a positive channel does not change, and no saturation by channels that are
/// not positive.
std::vector<Endpoint> to_hsv_gradient(GradientContext& g) {
  const auto mul = [&](Endpoint a, Endpoint b) { return g.op("Mul", {a, b}, {}, "mul"); };
  const auto sub = [&](Endpoint a, Endpoint b) { return g.op("Sub", {a, b}, {}, "sub"); };
  const auto over = [&](Endpoint a, Endpoint b) { return g.op("DivNoNan", {a, b}, {}, "div_no_nan"); };
  const auto positive = [&](Endpoint a, Endpoint of) {
    return mul(a, python_cast(g, python_with_right(g, "Greater", of, 0, "Greater"), a.dtype()));
  };
  const auto sum = [&](Endpoint x) { return python_sum_last_axis(g, x); };
  const Endpoint x = g.input(0);
  const Endpoint biggest = mask_of_extreme(g, x, true);
  const Endpoint smallest = mask_of_extreme(g, x, false);
  const Endpoint value = sum(mul(biggest, x));
  const Endpoint range = sub(value, sum(mul(smallest, x)));
  const Endpoint difference = sum(mul(biggest, sub(turned(g, x, -1), turned(g, x, 1))));
  const Endpoint of_range = sub(biggest, smallest);
  const Endpoint of_difference = sub(turned(g, biggest, 1), turned(g, biggest, -1));
  const Endpoint hue = over(sub(mul(of_difference, range), mul(of_range, difference)),
                            python_with_left(g, "Mul", 6, g.op("Square", {range}), "mul"));
  const Endpoint saturation = over(sub(mul(of_range, value), mul(biggest, range)), g.op("Square", {value}));
  const Endpoint axis = g.constant(Array(int32_t{-1}), "split_dim");
  const std::vector<Endpoint> grads =
      python_outputs(g, "Split", {axis, g.grad()}, {{"num_split", int64_t{3}}}, "split");
  const Endpoint of_colour =
      g.op("AddV2", {mul(grads[0], positive(hue, value)), mul(grads[1], positive(saturation, x))}, {}, "add");
  return {g.op("AddV2", {of_colour, mul(grads[2], biggest)}, {}, "add")};
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

constexpr graph::OpRow color_row(std::string_view name, graph::PrepareFunction prepare,
                                 graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = "images:T",
          .outputs = "output:T",
          .attrs = "T:type=float32{floats}",
          .shape = color_shape,
          .gradient = gradient,
          .not_differentiable = gradient == nullptr,
          .prepare = prepare};
}

constexpr graph::OpRow adjusting_row(std::string_view name, std::string_view inputs,
                                     graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "output:T",
          .attrs = "T:type=float32{narrow_floats}",
          .shape = adjust_shape,
          .prepare = prepare};
}

constexpr graph::OpRow kColorOps[] = {
    color_row("RGBToHSV", prepare_colors<ToHsv>, to_hsv_gradient),
    color_row("HSVToRGB", prepare_colors<ToRgb>, nullptr),
    adjusting_row("AdjustHue", "images:T, delta:float32", prepare_adjusted<TurnHue>),
    adjusting_row("AdjustSaturation", "images:T, scale:float32", prepare_adjusted<ScaleSaturation>),
};

}  // namespace

void register_color_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kColorOps) table.add(row);
}

}  // namespace flowray::ops
