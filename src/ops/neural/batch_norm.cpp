// FusedBatchNorm, V2 and V3, and their gradients: every channel brought to mean 0 and variance 1, then scaled
// and shifted.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/neural/batch_norm_gradient.h"
#include "ops/neural/register.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;

/// Whether channels come last (NHWC, NDHWC) or after the batch.
bool channels_are_last(const graph::Attrs& attrs) {
  return attrs.get<std::string>("data_format").back() == 'C';
}

int channel_dim(const Shape& x, bool channels_last) { return channels_last ? x.rank() - 1 : 1; }

/// x as [outer, channels, inner].
struct Layout {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  Layout(const Shape& x, bool channels_last) {
    const int channel = channel_dim(x, channels_last);
    channels = x.dim(channel);
    if (x.num_elements() == 0) {  // what the dimensions multiply to may not fit
      outer = 0;
      return;
    }
    for (int i = 0; i < channel; ++i) outer *= x.dim(i);
    for (int i = channel + 1; i < x.rank(); ++i) inner *= x.dim(i);
  }

  /// Elements of a channel.
  int64_t count() const { return outer * inner; }

  /// visit(element, channel) for all elements, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (int64_t o = 0; o < outer; ++o) {
      if (inner == 1) {
        const int64_t begin = o * channels;
        for (int64_t c = 0; c < channels; ++c) visit(begin + c, c);
        continue;
      }
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t begin = (o * channels + c) * inner;
        for (int64_t i = 0; i < inner; ++i) visit(begin + i, c);
      }
    }
  }
};

// ---- shapes

/// The channels, from x and all inputs in [first, last) that have one element for each.
int64_t channels_of(ShapeContext& context, const Shape& x, int first, int last) {
  int64_t channels =
      x.has_rank() ? x.dim(channel_dim(x, channels_are_last(context.attrs()))) : Shape::kUnknownDim;
  for (int i = first; i < last; ++i)
    channels = ShapeContext::merge_dim(channels, context.with_rank(i, 1).dim(0));
  return channels;
}

void check_x(const ShapeContext& context, int i) {
  const int rank = context.input(i).rank();
  if (context.running() && rank != 4 && rank != 5) {
    ShapeContext::fail(fmt::format("input must be 4 or 5-dimensional{}", context.input(i).to_string()));
  }
}

/// Inputs [1, 5) are vectors. `names` are TensorFlow's.
void check_vectors_in_step(const ShapeContext& context, int first, const char* const (&names)[5]) {
  for (int i = first; i < 5; ++i) {
    if (context.input(i).rank() == 1) continue;
    ShapeContext::fail(fmt::format("{} must be 1-dimensional{}", names[i], context.input(i).to_string()));
  }
}

void check_lengths_in_step(const ShapeContext& context, int64_t channels, bool training) {
  check_vectors_in_step(context, 1, {"x", "scale", "offset", "estimated_mean", "estimated_variance"});
  constexpr const char* kNames[] = {"x", "scale", "offset", "mean", "variance"};
  const bool averages = training && context.attrs().get<float>("exponential_avg_factor") == 1.f;
  for (int i = 1; i < 5; ++i) {
    if (i > 2 && averages) continue;  // they are not looked at
    const int64_t length = context.input(i).num_elements();
    if (length == channels) continue;
    ShapeContext::fail(
        fmt::format("{}{} must have the same number of elements as the channels of x, got {} and {}",
                    i > 2 && !training ? "When is_training=false, " : "", kNames[i], length, channels));
  }
}

void batch_norm_shape(ShapeContext& context) {
  check_x(context, 0);
  const Shape& x = context.input(0);
  const bool training = context.attrs().get<bool>("is_training");
  if (context.running()) {
    const int64_t channels = x.dim(channel_dim(x, channels_are_last(context.attrs())));
    check_lengths_in_step(context, channels, training);
  }
  const int64_t channels = channels_of(context, x, 1, training ? 3 : 5);
  context.set_output(0, x);
  for (int i = 1; i < 5; ++i) context.set_output(i, Shape{channels});
  if (context.num_outputs() > 5) context.set_output(5, context.running() ? Shape() : Shape::unknown_rank());
}

void check_gradient_in_step(const ShapeContext& context) {
  const Shape& x = context.input(1);
  if (!(context.input(0) == x)) {
    ShapeContext::fail(
        fmt::format("x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
                    x.to_string(), context.input(0).to_string()));
  }
  check_vectors_in_step(context, 2, {"y_backprop", "x", "scale", "saved mean", "saved variance"});
  constexpr const char* kNames[] = {"y_backprop", "x", "scale", "reserve_space_1", "reserve_space_2"};
  const int64_t channels = x.dim(channel_dim(x, channels_are_last(context.attrs())));
  for (int i = 2; i < 5; ++i) {
    if (context.input(i).dim(0) == channels) continue;
    ShapeContext::fail(
        fmt::format("{} must have the same number of elements as the channels of x, got {} and {}", kNames[i],
                    context.input(i).dim(0), channels));
  }
}

void batch_norm_gradient_shape(ShapeContext& context) {
  check_x(context, 0);
  check_x(context, 1);
  if (context.running()) check_gradient_in_step(context);
  const Shape x = merge_shapes(context.input(0), context.input(1));
  const int64_t channels = channels_of(context, x, 2, 5);
  context.set_output(0, x);
  context.set_output(1, Shape{channels});
  context.set_output(2, Shape{channels});
  context.set_output(3, Shape{0});
  context.set_output(4, Shape{0});
}

// ---- forward

/// Means and variances of the channels, over all elements of a batch.
struct Moments {
  double* mean;
  double* variance;

  template <class T>
  void measure(const Layout& layout, const T* x) const {
    for (int64_t c = 0; c < layout.channels; ++c) mean[c] = variance[c] = 0;
    layout.for_each([&](int64_t i, int64_t c) { mean[c] += static_cast<float>(x[i]); });
    const auto count = static_cast<double>(layout.count());
    for (int64_t c = 0; c < layout.channels; ++c) mean[c] /= count;
    layout.for_each([&](int64_t i, int64_t c) {
      const double centred = static_cast<float>(x[i]) - mean[c];
      variance[c] += centred * centred;
    });
    for (int64_t c = 0; c < layout.channels; ++c) variance[c] /= count;
  }

  void take(const Layout& layout, const float* means, const float* variances) const {
    for (int64_t c = 0; c < layout.channels; ++c) {
      mean[c] = means[c];
      variance[c] = variances[c];
    }
  }
};

struct BatchNorm {
  Layout layout;
  double epsilon;
  float factor;  // how much of a new average is new
  bool training;
  bool has_third_reserve;  // of version 3 only

  BatchNorm(const Shape& x, const graph::Attrs& attrs, int num_outputs)
      : layout(x, channels_are_last(attrs)),
        epsilon(attrs.get<float>("epsilon")),
        factor(attrs.get<float>("exponential_avg_factor")),
        training(attrs.get<bool>("is_training")),
        has_third_reserve(num_outputs > 5) {}

  template <class T>
  void run(const KernelCall& call) const {
    const T* x = call.in<T>(0);
    const int64_t channels = layout.channels;
    const Moments moments{call.workspace<double>(), call.workspace<double>() + channels};
    if (training) {
      moments.measure(layout, x);
    } else {
      moments.take(layout, call.in<float>(3), call.in<float>(4));
    }
    put_moments(call, moments);
    // Element by element in float, as each channel's y = (x - mean) * scale + offset.
    float* mean = reinterpret_cast<float*>(call.workspace<double>() + 2 * channels);
    float* scale = mean + channels;
    for (int64_t c = 0; c < channels; ++c) {
      mean[c] = static_cast<float>(moments.mean[c]);
      scale[c] = static_cast<float>(call.in<float>(1)[c] / std::sqrt(moments.variance[c] + epsilon));
    }
    const float* offset = call.in<float>(2);
    T* y = call.out<T>(0);
    layout.for_each([&](int64_t i, int64_t c) {
      y[i] = static_cast<T>((static_cast<float>(x[i]) - mean[c]) * scale[c] + offset[c]);
    });
  }

  /// Averages for later use (with the unbiased variance), and the batch's own for the gradient.
  void put_moments(const KernelCall& call, const Moments& moments) const {
    const auto count = static_cast<double>(layout.count());
    const double unbiased = training && count > 1 ? count / (count - 1) : 1;
    for (int64_t c = 0; c < layout.channels; ++c) {
      double mean = moments.mean[c];
      double variance = moments.variance[c] * unbiased;
      if (training && factor != 1) {
        mean = (1 - factor) * call.in<float>(3)[c] + factor * mean;
        variance = (1 - factor) * call.in<float>(4)[c] + factor * variance;
      }
      call.out<float>(1)[c] = static_cast<float>(mean);
      call.out<float>(2)[c] = static_cast<float>(variance);
      call.out<float>(3)[c] = static_cast<float>(moments.mean[c]);
      call.out<float>(4)[c] = static_cast<float>(moments.variance[c]);
    }
    if (has_third_reserve) *call.out<float>(5) = 0;
  }

  size_t workspace_bytes() const {
    return static_cast<size_t>(layout.channels) * (2 * sizeof(double) + 2 * sizeof(float));
  }
};

using NormTypes = TypeList<float, float16, bfloat16>;

/// Everything but x and its gradient is float32 to the kernels.
void check_parameters(const PrepareContext& context, int first) {
  for (int i = first; i < 5; ++i) {
    if (context.input_dtype(i) != DType::kFloat32) context.no_kernel_for(context.input_dtype(i));
  }
}

std::unique_ptr<graph::Kernel> prepare_batch_norm(PrepareContext& context) {
  check_parameters(context, 1);
  return kernel_for_dtype<NormTypes>(context, context.input_dtype(0), [&]<class T>() {
    const BatchNorm norm(context.input_shape(0), context.attrs(), context.num_outputs());
    return graph::make_kernel([norm](const KernelCall& call) { norm.run<T>(call); },
                              {.workspace_bytes = norm.workspace_bytes()});
  });
}

// ---- backward

struct BatchNormGradient {
  Layout layout;
  double epsilon;
  bool training;

  BatchNormGradient(const Shape& x, const graph::Attrs& attrs)
      : layout(x, channels_are_last(attrs)),
        epsilon(attrs.get<float>("epsilon")),
        training(attrs.get<bool>("is_training")) {}

  /// With g the gradient of y, z = x - mean, r = 1 / sqrt(variance + epsilon), and means taken over the
  /// batch: of scale r sum(g z), of offset sum(g), of x in training scale r (g - mean(g) - z r^2 mean(g z)),
  /// else scale r g.
  template <class T>
  void run(const KernelCall& call) const {
    const T* g = call.in<T>(0);
    const T* x = call.in<T>(1);
    const float* mean = call.in<float>(3);
    double* sum = call.workspace<double>();
    double* product = sum + layout.channels;
    for (int64_t c = 0; c < 2 * layout.channels; ++c) sum[c] = 0;
    layout.for_each([&](int64_t i, int64_t c) {
      sum[c] += static_cast<float>(g[i]);
      product[c] += static_cast<double>(g[i]) * (static_cast<float>(x[i]) - mean[c]);
    });
    float* scale = reinterpret_cast<float*>(product + layout.channels);
    float* shift = scale + layout.channels;
    float* slope = shift + layout.channels;
    for (int64_t c = 0; c < layout.channels; ++c) {
      const double r = 1 / std::sqrt(call.in<float>(4)[c] + epsilon);
      const auto count = static_cast<double>(layout.count());
      scale[c] = static_cast<float>(call.in<float>(2)[c] * r);
      shift[c] = training ? static_cast<float>(sum[c] / count) : 0;
      slope[c] = training ? static_cast<float>(product[c] / count * r * r) : 0;
      call.out<float>(1)[c] = static_cast<float>(product[c] * r);
      call.out<float>(2)[c] = static_cast<float>(sum[c]);
    }
    T* out = call.out<T>(0);
    layout.for_each([&](int64_t i, int64_t c) {
      const float centred = static_cast<float>(x[i]) - mean[c];
      out[i] = static_cast<T>(scale[c] * (static_cast<float>(g[i]) - shift[c] - centred * slope[c]));
    });
  }

  size_t workspace_bytes() const {
    return static_cast<size_t>(layout.channels) * (2 * sizeof(double) + 3 * sizeof(float));
  }
};

std::unique_ptr<graph::Kernel> prepare_batch_norm_gradient(PrepareContext& context) {
  check_parameters(context, 2);
  return kernel_for_dtype<NormTypes>(context, context.input_dtype(0), [&]<class T>() {
    const BatchNormGradient gradient(context.input_shape(1), context.attrs());
    return graph::make_kernel([gradient](const KernelCall& call) { gradient.run<T>(call); },
                              {.workspace_bytes = gradient.workspace_bytes()});
  });
}

std::vector<Endpoint> batch_norm_gradient(GradientContext& g) {
  graph::Attrs attrs;
  for (const char* name : {"T", "U", "epsilon", "data_format", "is_training"}) {
    if (const graph::AttrValue* value = g.attrs().find(name)) attrs.set(name, *value);
  }
  const bool training = attrs.get<bool>("is_training");
  const Endpoint mean = training ? g.output(3) : g.input(3);
  const Endpoint variance = training ? g.output(4) : g.input(4);
  // FusedBatchNorm, FusedBatchNormV2, FusedBatchNormV3
  std::string op = g.node().schema().name;
  op.insert(std::string_view("FusedBatchNorm").size(), "Grad");
  std::vector<Endpoint> inputs = {g.grad(), g.input(0), g.input(1), mean, variance};
  if (g.node().num_outputs() > 5) inputs.push_back(g.output(5));
  graph::Node* node = g.Builder::node(op, std::move(inputs), std::move(attrs), op);
  return {node->output(0), node->output(1), node->output(2), {}, {}};
}

constexpr OpRow kBatchNormOps[] = {
    {.name = "FusedBatchNorm",
     .inputs = "x:T, scale:T, offset:T, mean:T, variance:T",
     .outputs = "y:T, batch_mean:T, batch_variance:T, reserve_space_1:T, reserve_space_2:T",
     .attrs = "T:type{[float32]}; epsilon:float=9.999999747378752e-05; exponential_avg_factor:float=1.0; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; is_training:bool=true",
     .shape = batch_norm_shape,
     .gradient = batch_norm_gradient,
     .prepare = prepare_batch_norm},
    {.name = "FusedBatchNormGrad",
     .inputs = "y_backprop:T, x:T, scale:T, reserve_space_1:T, reserve_space_2:T",
     .outputs = "x_backprop:T, scale_backprop:T, offset_backprop:T, reserve_space_3:T, reserve_space_4:T",
     .attrs = "T:type{[float32]}; epsilon:float=9.999999747378752e-05; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; is_training:bool=true",
     .shape = batch_norm_gradient_shape,
     .gradient = batch_norm_second_gradient,
     .prepare = prepare_batch_norm_gradient},
    {.name = "FusedBatchNormV2",
     .inputs = "x:T, scale:U, offset:U, mean:U, variance:U",
     .outputs = "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U",
     .attrs =
         "T:type{layer_floats}; U:type{[float32]}; epsilon:float=9.999999747378752e-05; "
         "exponential_avg_factor:float=1.0; data_format:string=\"NHWC\"{[NHWC,NCHW]}; is_training:bool=true",
     .shape = batch_norm_shape,
     .gradient = batch_norm_gradient,
     .prepare = prepare_batch_norm},
    {.name = "FusedBatchNormGradV2",
     .inputs = "y_backprop:T, x:T, scale:float32, reserve_space_1:U, reserve_space_2:U",
     .outputs = "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_3:U, reserve_space_4:U",
     .attrs = "T:type{layer_floats}; U:type{[float32]}; epsilon:float=9.999999747378752e-05; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; is_training:bool=true",
     .shape = batch_norm_gradient_shape,
     .gradient = batch_norm_second_gradient,
     .prepare = prepare_batch_norm_gradient},
    {.name = "FusedBatchNormV3",
     .inputs = "x:T, scale:U, offset:U, mean:U, variance:U",
     .outputs =
         "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
     .attrs = "T:type{layer_floats}; U:type{[bfloat16,float32]}; "
              "epsilon:float=9.999999747378752e-05; exponential_avg_factor:float=1.0; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW,NDHWC,NCDHW]}; is_training:bool=true",
     .shape = batch_norm_shape,
     .gradient = batch_norm_gradient,
     .prepare = prepare_batch_norm},
    {.name = "FusedBatchNormGradV3",
     .inputs = "y_backprop:T, x:T, scale:float32, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
     .outputs = "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U",
     .attrs = "T:type{layer_floats}; U:type{[float32]}; epsilon:float=9.999999747378752e-05; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW,NDHWC,NCDHW]}; is_training:bool=true",
     .shape = batch_norm_gradient_shape,
     .gradient = batch_norm_second_gradient,
     .prepare = prepare_batch_norm_gradient},
};

}  // namespace

void register_batch_norm_ops(graph::OpTable& table) {
  for (const OpRow& row : kBatchNormOps) table.add(row);
}

}  // namespace flowray::ops
