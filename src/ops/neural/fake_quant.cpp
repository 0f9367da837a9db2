/// FakeQuantWithMinMaxArgs, ...Vars, ...VarsPerChannel and their gradients: numbers rounded to one of
/// 2^num_bits between min and max, as a model will have them once it is quantised. Of these one is
/// exactly zero.
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/node_in_text.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/neural/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

/// How many numbers there are, apart from their range.
struct Steps {
  float first;
  float last;

  explicit Steps(const Attrs& attrs)
      : first(attrs.get<bool>("narrow_range") ? 1.0f : 0.0f),
        last(static_cast<float>((int64_t{1} << attrs.get<int64_t>("num_bits")) - 1)) {}
};

/// The range moved so that zero is one of the numbers.
struct Range {
  float low = 0;
  float high = 0;
  float step = 0;
  float zero = 0;  // its number, counted from the lowest

  Range(float min, float max, const Steps& steps) {
    if (min == 0 && max == 0) return;  // all numbers become zero
    step = (max - min) / (steps.last - steps.first);
    const float place = steps.first - min / step;
    const float nearest = place < steps.first  ? steps.first
                          : place > steps.last ? steps.last
                                               : std::round(place);
    low = (steps.first - nearest) * step;
    high = (steps.last - nearest) * step;
    zero = std::floor(-low * (1.0f / step) + 0.5f);
  }
  bool is_empty() const { return step == 0; }

  float rounded(float x) const {
    if (is_empty()) return 0;
    const float inside = std::max(std::min(x, high), low) - low;
    return std::floor(inside * (1.0f / step) - zero + 0.5f) * step;
  }
};

void check_attrs(const ShapeContext& context) {
  if (!context.running()) return;
  const Attrs& attrs = context.attrs();
  const int64_t bits = attrs.get<int64_t>("num_bits");
  if (bits < 2 || bits > 16) ShapeContext::fail("num_bits must be between 2 and 16, inclusive");
  if (!attrs.contains("min")) return;
  const float min = attrs.get<float>("min");
  const float max = attrs.get<float>("max");
  if (!(min < max))
    ShapeContext::fail(fmt::format("min has to be smaller than max, was: {} >= {}", min, max));
}

/// min and max are inputs `first` and `first` + 1, of `rank` dimensions; -1: attributes.
template <int kFirst, int kRank>
void check_limits(ShapeContext& context) {
  if constexpr (kFirst >= 0) {
    for (const int i : {kFirst, kFirst + 1}) {
      const char* const name = i == kFirst ? "min" : "max";
      const Shape& limit = context.input(i);
      if (!context.running()) {
        context.with_rank(i, kRank);
      } else if (limit.rank() != kRank) {
        ShapeContext::fail(fmt::format("`{}` must be rank {} but is rank {}", name, kRank, limit.rank()));
      } else if (kRank == 1 && limit.dim(0) != context.input(kFirst - 1).dim(-1)) {
        ShapeContext::fail(fmt::format("{} has incorrect size, expected {} was {}", name,
                                       context.input(kFirst - 1).dim(-1), limit.dim(0)));
      }
    }
  }
}

template <int kFirst, int kRank>
void quantized_shape(ShapeContext& context) {
  check_attrs(context);
  const Shape in = kRank == 1 ? context.with_rank_at_least(0, 1) : context.input(0);
  check_limits<kFirst, kRank>(context);
  context.set_output(0, in);
}

template <int kFirst, int kRank>
void gradient_shape(ShapeContext& context) {
  check_attrs(context);
  if (context.running() && !(context.input(0) == context.input(1))) {
    if (kFirst >= 0) ShapeContext::fail("gradient and input must be the same size");
    ShapeContext::fail(fmt::format(
        "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {} != input 1: {}",
        graph::kNodeInText, context.schema().name, context.input(0).to_string(),
        context.input(1).to_string()));
  }
  check_limits<kFirst, kRank>(context);
  context.set_output(0, context.input(1));
  for (int i = 1; i < context.num_outputs(); ++i) context.set_output(i, context.input(kFirst + i - 1));
}

/// The range of channel c: from the attributes, or from inputs `first` and `first` + 1.
Range range_of(const KernelCall& call, const Attrs& attrs, const Steps& steps, int first, int64_t c) {
  if (first < 0) return {attrs.get<float>("min"), attrs.get<float>("max"), steps};
  return {call.in<float>(first)[c], call.in<float>(first + 1)[c], steps};
}

template <int kFirst>
std::unique_ptr<graph::Kernel> prepare_quantized(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  int64_t channels = kFirst < 0 ? 1 : context.input_shape(kFirst).num_elements();
  return graph::make_kernel([attrs = context.attrs(), count, channels](const KernelCall& call) {
    const Steps steps(attrs);
    const float* const in = call.in<float>(0);
    float* const out = call.out<float>(0);
    for (int64_t c = 0; c < channels; ++c) {
      const Range range = range_of(call, attrs, steps, kFirst, c);
      for (int64_t i = c; i < count; i += channels) out[i] = range.rounded(in[i]);
    }
  });
}

/// What lies in the range passes its gradient on, what lies outside gives it to the end of the range.
template <int kFirst>
std::unique_ptr<graph::Kernel> prepare_gradient(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  int64_t channels = kFirst < 0 ? 1 : context.input_shape(kFirst).num_elements();
  return graph::make_kernel([attrs = context.attrs(), count, channels](const KernelCall& call) {
    const Steps steps(attrs);
    const float* const gradient = call.in<float>(0);
    const float* const in = call.in<float>(1);
    float* const out = call.out<float>(0);
    for (int64_t c = 0; c < channels; ++c) {
      const Range range = range_of(call, attrs, steps, kFirst, c);
      double below = 0;
      double above = 0;
      for (int64_t i = c; i < count; i += channels) {
        const bool is_below = !range.is_empty() && in[i] < range.low;
        const bool is_above = !range.is_empty() && in[i] > range.high;
        out[i] = is_below || is_above ? 0 : gradient[i];
        if (is_below) below += gradient[i];
        if (is_above) above += gradient[i];
      }
      if constexpr (kFirst >= 0) {
        call.out<float>(1)[c] = static_cast<float>(below);
        call.out<float>(2)[c] = static_cast<float>(above);
      }
    }
  });
}

std::vector<Endpoint> quantized_gradient(GradientContext& g) {
  std::vector<Endpoint> inputs = {g.grad(), g.input(0)};
  for (int i = 1; i < g.num_inputs(); ++i) inputs.push_back(g.input(i));
  Attrs attrs;
  for (const char* name : {"min", "max", "num_bits", "narrow_range"}) {
    if (const graph::AttrValue* value = g.attrs().find(name)) attrs.set(name, *value);
  }
  graph::Node* const made = g.Builder::node(g.node().op() + "Gradient", std::move(inputs), std::move(attrs));
  std::vector<Endpoint> grads;
  for (int i = 0; i < made->num_outputs(); ++i) grads.push_back(made->output(i));
  return grads;
}

constexpr graph::OpRow kFakeQuantOps[] = {
    {.name = "FakeQuantWithMinMaxArgs",
     .inputs = "inputs:float32",
     .outputs = "outputs:float32",
     .attrs = "min:float=-6.0; max:float=6.0; num_bits:int=8; narrow_range:bool=false",
     .shape = quantized_shape<-1, 0>,
     .gradient = quantized_gradient,
     .prepare = prepare_quantized<-1>},
    {.name = "FakeQuantWithMinMaxArgsGradient",
     .inputs = "gradients:float32, inputs:float32",
     .outputs = "backprops:float32",
     .attrs = "min:float=-6.0; max:float=6.0; num_bits:int=8; narrow_range:bool=false",
     .shape = gradient_shape<-1, 0>,
     .not_differentiable = true,
     .prepare = prepare_gradient<-1>},
    {.name = "FakeQuantWithMinMaxVars",
     .inputs = "inputs:float32, min:float32, max:float32",
     .outputs = "outputs:float32",
     .attrs = "num_bits:int=8; narrow_range:bool=false",
     .shape = quantized_shape<1, 0>,
     .gradient = quantized_gradient,
     .prepare = prepare_quantized<1>},
    {.name = "FakeQuantWithMinMaxVarsGradient",
     .inputs = "gradients:float32, inputs:float32, min:float32, max:float32",
     .outputs = "backprops_wrt_input:float32, backprop_wrt_min:float32, backprop_wrt_max:float32",
     .attrs = "num_bits:int=8; narrow_range:bool=false",
     .shape = gradient_shape<2, 0>,
     .not_differentiable = true,
     .prepare = prepare_gradient<2>},
    {.name = "FakeQuantWithMinMaxVarsPerChannel",
     .inputs = "inputs:float32, min:float32, max:float32",
     .outputs = "outputs:float32",
     .attrs = "num_bits:int=8; narrow_range:bool=false",
     .shape = quantized_shape<1, 1>,
     .gradient = quantized_gradient,
     .prepare = prepare_quantized<1>},
    {.name = "FakeQuantWithMinMaxVarsPerChannelGradient",
     .inputs = "gradients:float32, inputs:float32, min:float32, max:float32",
     .outputs = "backprops_wrt_input:float32, backprop_wrt_min:float32, backprop_wrt_max:float32",
     .attrs = "num_bits:int=8; narrow_range:bool=false",
     .shape = gradient_shape<2, 1>,
     .not_differentiable = true,
     .prepare = prepare_gradient<2>},
};

}  // namespace

void register_fake_quant_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kFakeQuantOps) table.add(row);
}

}  // namespace flowray::ops
