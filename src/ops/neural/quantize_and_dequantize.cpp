// QuantizeAndDequantizeV2, V3 and V4: numbers rounded to the steps that so many bits have, and what comes
// back through them.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/neural/register.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

using QuantizedTypes = TypeList<float, double>;

// ---- shapes

[[noreturn]] void fail_rank(int64_t axis, const Shape& input) {
  const int64_t wanted = checked(axis) + 1;
  ShapeContext::fail(fmt::format("Shape must be at least rank {} but is rank {}", wanted, input.rank()));
}

/// `at`: the place of the least number among the inputs; the largest follows.
void infer_ranges(ShapeContext& context, const Shape& input, int at, int64_t axis) {
  if (axis < -1) ShapeContext::fail(fmt::format("axis should be at least -1, got {}", axis));
  const Shape least = context.with_rank(at, axis == -1 ? 0 : 1);
  const Shape range = merge_shapes(least, context.with_rank(at + 1, axis == -1 ? 0 : 1));
  if (axis == -1 || !input.has_rank()) return;
  if (input.rank() <= axis) fail_rank(axis, input);
  ShapeContext::merge_dim(range.dim(0), input.dim(static_cast<int>(axis)));
}

void check_running_range(const ShapeContext& context, int i, const char* name, int64_t axis) {
  const Shape& shape = context.input(i);
  if (axis == -1) {
    if (shape.rank() != 0) ShapeContext::fail(fmt::format("{} must be a scalar.", name));
    return;
  }
  if (shape.rank() != 1) {
    ShapeContext::fail(fmt::format("Shape must be rank 1 for {}_tensor when the axis is specified", name));
  }
  const int64_t depth = context.input(0).dim(static_cast<int>(axis));
  if (shape.dim(0) != depth) {
    ShapeContext::fail(
        fmt::format("{}_tensor has incorrect size, was {} expected {} to match dim {} of the input {}", name,
                    shape.dim(0), depth, axis, shape.to_string()));
  }
}

void check_bits(int64_t bits, bool is_signed, const char* name) {
  if (bits > 0 && bits < (is_signed ? 62 : 63)) return;
  invalid_argument(fmt::format("num_bits is out of range: {} with {} {}", bits, name, is_signed ? 1 : 0));
}

void quantized_shape(ShapeContext& context) {
  const graph::Attrs& attrs = context.attrs();
  const Shape& input = context.input(0);
  context.set_output(0, input);
  const auto axis = attrs.get<int64_t>("axis");
  if (!context.running()) return infer_ranges(context, input, 1, axis);
  const bool bits_are_input = context.num_inputs() == 4;
  if (!bits_are_input)
    check_bits(attrs.get<int64_t>("num_bits"), attrs.get<bool>("signed_input"), "signed_input_");
  if (axis < -1) ShapeContext::fail(fmt::format("Axis must be at least -1. Found {}", axis));
  if (axis >= input.rank()) {
    if (!bits_are_input) fail_rank(axis, input);
    ShapeContext::fail(fmt::format(
        "Axis requested is larger than input dimensions. Axis: {} Input Dimensions: {}", axis, input.rank()));
  }
  if (bits_are_input && context.input(3).num_elements() != 1) {
    ShapeContext::fail(
        fmt::format("Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: {}",
                    context.input(3).rank()));
  }
  if (!attrs.get<bool>("range_given")) return;
  check_running_range(context, 1, "input_min", axis);
  check_running_range(context, 2, "input_max", axis);
}

void quantized_gradient_shape(ShapeContext& context) {
  const auto axis = context.attrs().get<int64_t>("axis");
  const Shape& input = context.input(1);
  context.set_output(0, input);
  context.set_output(1, context.input(2));
  context.set_output(2, context.input(3));
  if (!context.running()) return infer_ranges(context, input, 2, axis);
  if (!(context.input(0) == input)) ShapeContext::fail("gradient and input must be the same size");
  if (axis < -1 || axis >= input.rank()) {
    ShapeContext::fail(
        fmt::format("Axis should be -1 or 0 or a positive value less than {}but given axis value was {}",
                    input.rank(), axis));
  }
  for (const auto& [i, name] : {std::pair(2, "min"), std::pair(3, "max")}) {
    const Shape& range = context.input(i);
    if (axis == -1) {
      if (range.rank() != 0)
        ShapeContext::fail(fmt::format("input_{} must be a scalar if axis is unspecified", name));
      continue;
    }
    if (range.rank() != 1) {
      ShapeContext::fail(
          fmt::format("Shape must be rank 1 for input_{}_tensor when the axis is specified", name));
    }
    const int64_t depth = input.dim(static_cast<int>(axis));
    if (range.dim(0) != depth) {
      ShapeContext::fail(fmt::format("{} has incorrect size, expected {} was {}", name, depth, range.dim(0)));
    }
  }
}

// ---- kernels

/// The input as channels along an axis, in slices of `inner` numbers each; without an axis one of all.
struct Channels {
  int64_t outer = 1;
  int64_t depth = 1;
  int64_t inner;

  Channels(const Shape& shape, int64_t axis) : inner(shape.num_elements()) {
    if (axis < 0) return;
    const auto at = static_cast<size_t>(axis);
    outer = Shape(shape.dims().first(at)).num_elements();
    depth = shape.dim(static_cast<int>(axis));
    inner = Shape(shape.dims().subspan(at + 1)).num_elements();
  }

  bool is_empty() const { return outer == 0 || depth == 0 || inner == 0; }

  /// Calls use(first, one behind the last) for each slice of a channel.
  template <class Use>
  void for_slices(int64_t channel, Use use) const {
    if (inner == 0) return;  // there may be any number of slices without an element
    for (int64_t i = 0; i < outer; ++i) {
      const int64_t first = (i * depth + channel) * inner;
      use(first, first + inner);
    }
  }
};

/// The steps of one channel.
template <class T>
struct Steps {
  T least;
  T most;
  T scale;
  T inverse;

  /// The range is widened on the side that has room: zero stays zero.
  Steps(T from, T to, int64_t bits, bool is_signed, bool is_narrow) : least(from), most(to) {
    const int64_t half = int64_t{1} << (bits - 1);
    const int64_t lowest = is_signed ? (is_narrow ? 1 - half : -half) : 0;
    const int64_t highest = is_signed ? half - 1 : (half - 1) * 2 + 1;
    const T low(lowest);
    const T high(highest);
    constexpr T kAny = std::numeric_limits<T>::max();
    const T by_least = low * least > 0 ? low / least : kAny;
    const T by_most = high * most > 0 ? high / most : kAny;
    if (by_least < by_most) {
      scale = by_least;
      inverse = least / low;
      most = high * inverse;
    } else {
      scale = by_most;
      inverse = most / high;
      least = low * inverse;
    }
  }
};

template <class T>
struct Quantizer {
  Channels channels;
  bool is_signed;
  bool is_given;
  bool is_by_axis;
  bool is_narrow;
  bool rounds_up;
  int64_t bits;

  T rounded(T x) const { return rounds_up ? std::floor(x + T(0.5)) : std::nearbyint(x); }

  std::pair<T, T> range_of(const KernelCall& call, int64_t channel) const {
    if (is_given) return {call.in<T>(1)[channel], call.in<T>(2)[channel]};
    T least = std::numeric_limits<T>::infinity();
    T most = -least;
    channels.for_slices(channel, [&](int64_t first, int64_t end) {
      for (int64_t i = first; i < end; ++i) {
        least = std::min(least, call.in<T>(0)[i]);
        most = std::max(most, call.in<T>(0)[i]);
      }
    });
    return {least, most};
  }

  void run(const KernelCall& call) const {
    if (!is_given && channels.is_empty())
      return;  // however many ranges there were; those given are looked at
    const T* const in = call.in<T>(0);
    T* const out = call.out<T>(0);
    for (int64_t channel = 0; channel < channels.depth; ++channel) {
      const auto [from, to] = range_of(call, channel);
      if (is_given && !is_by_axis &&
          !(from <= to)) {  // not a number is no range; TensorFlow looks at one only
        invalid_argument(fmt::format("Invalid range: input_min {:g} > input_max {:g}", from, to));
      }
      const Steps<T> steps(from, to, bits, is_signed, is_narrow);
      channels.for_slices(channel, [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i) {
          const T x = is_given ? std::max(std::min(in[i], steps.most), steps.least) : in[i];
          out[i] = rounded(x * steps.scale) * steps.inverse;
        }
      });
    }
  }
};

std::unique_ptr<graph::Kernel> prepare_quantized(PrepareContext& context) {
  const graph::Attrs& attrs = context.attrs();
  const Channels channels(context.input_shape(0), attrs.get<int64_t>("axis"));
  const bool bits_are_input = context.num_inputs() == 4;
  const bool is_signed = attrs.get<bool>("signed_input");
  const int64_t bits = bits_are_input ? context.integers(3)[0] : attrs.get<int64_t>("num_bits");
  check_bits(bits, is_signed, bits_are_input ? "`signed_input_`" : "signed_input_");
  const bool rounds_up = !bits_are_input && attrs.get<std::string>("round_mode") == "HALF_UP";
  return kernel_for_dtype<QuantizedTypes>(context, context.input_dtype(0), [&]<class T>() {
    const Quantizer<T> quantizer{channels,
                                 is_signed,
                                 attrs.get<bool>("range_given"),
                                 attrs.get<int64_t>("axis") >= 0,
                                 attrs.get<bool>("narrow_range"),
                                 rounds_up,
                                 bits};
    return graph::make_kernel([quantizer](const KernelCall& call) { quantizer.run(call); });
  });
}

std::unique_ptr<graph::Kernel> prepare_quantized_gradient(PrepareContext& context) {
  const Channels channels(context.input_shape(1), context.attrs().get<int64_t>("axis"));
  return kernel_for_dtype<QuantizedTypes>(context, context.input_dtype(1), [&]<class T>() {
    return graph::make_kernel([channels](const KernelCall& call) {
      for (int64_t channel = 0; channel < channels.depth; ++channel) {
        const T least = call.in<T>(2)[channel];
        const T most = call.in<T>(3)[channel];
        channels.for_slices(channel, [&](int64_t first, int64_t end) {
          for (int64_t i = first; i < end; ++i) {
            const T x = call.in<T>(1)[i];
            call.out<T>(0)[i] = call.in<T>(0)[i] * (x >= least && x <= most ? T(1) : T(0));
          }
        });
        call.out<T>(1)[channel] = T(0);
        call.out<T>(2)[channel] = T(0);
      }
    });
  });
}

// ---- gradients

std::vector<Endpoint> as_it_comes(GradientContext& g) {
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = g.grad();
  return grads;
}

std::vector<Endpoint> within_the_range(GradientContext& g) {
  const Endpoint of_input =
      g.op("QuantizeAndDequantizeV4Grad", {g.grad(), g.input(0), g.input(1), g.input(2)},
           {{"axis", g.attrs().get<int64_t>("axis")}});
  return {of_input, {of_input.node, 1}, {of_input.node, 2}};
}

/// TensorFlow's has one gradient too few for its inputs.
std::vector<Endpoint> no_second_gradient(GradientContext& g) {
  throw ValueError(
      fmt::format("Num gradients 3 generated for op {} do not match num inputs 4", g.node().name()));
}

constexpr graph::OpRow kQuantizedOps[] = {
    {.name = "QuantizeAndDequantizeV2",
     .inputs = "input:T, input_min:T, input_max:T",
     .outputs = "output:T",
     .attrs =
         "signed_input:bool=true; num_bits:int=8; range_given:bool=false; T:type{math_floats}; "
         "round_mode:string=\"HALF_TO_EVEN\"{[HALF_TO_EVEN,HALF_UP]}; narrow_range:bool=false; axis:int=-1",
     .shape = quantized_shape,
     .gradient = as_it_comes,
     .prepare = prepare_quantized},
    {.name = "QuantizeAndDequantizeV3",
     .inputs = "input:T, input_min:T, input_max:T, num_bits:int32",
     .outputs = "output:T",
     .attrs = "signed_input:bool=true; range_given:bool=true; T:type{math_floats}; narrow_range:bool=false; "
              "axis:int=-1",
     .shape = quantized_shape,
     .gradient = as_it_comes,
     .prepare = prepare_quantized},
    {.name = "QuantizeAndDequantizeV4",
     .inputs = "input:T, input_min:T, input_max:T",
     .outputs = "output:T",
     .attrs =
         "signed_input:bool=true; num_bits:int=8; range_given:bool=false; T:type{math_floats}; "
         "round_mode:string=\"HALF_TO_EVEN\"{[HALF_TO_EVEN,HALF_UP]}; narrow_range:bool=false; axis:int=-1",
     .shape = quantized_shape,
     .gradient = within_the_range,
     .prepare = prepare_quantized},
    {.name = "QuantizeAndDequantizeV4Grad",
     .inputs = "gradients:T, input:T, input_min:T, input_max:T",
     .outputs = "input_backprop:T, input_min_backprop:T, input_max_backprop:T",
     .attrs = "T:type{math_floats}; axis:int=-1",
     .shape = quantized_gradient_shape,
     .gradient = no_second_gradient,
     .prepare = prepare_quantized_gradient},
};

}  // namespace

void register_quantized_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kQuantizedOps) table.add(row);
}

}  // namespace flowray::ops
