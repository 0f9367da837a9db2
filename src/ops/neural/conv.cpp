// Conv2D and its two gradients.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/loops/conv_loops.h"
#include "ops/neural/register.h"
#include "ops/neural/window_geometry.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- attributes

/// The attributes of the three ops, read and checked.
struct ConvAttrs {
  DataOrder order;
  Padding padding = Padding::kValid;
  WindowDim height;  ///< Windows are the filter's, unknown here.
  WindowDim width;
  bool strides_outside = false;    ///< In the batch or depth dimensions.
  bool dilations_outside = false;  ///< Likewise.

  explicit ConvAttrs(const Attrs& attrs);
};

ConvAttrs::ConvAttrs(const Attrs& attrs) : order(data_order(attrs)), padding(padding_of(attrs)) {
  const auto dilations = window_attr(
      attrs, "dilations",
      "Conv2D on data format {} requires the dilation attribute to contain 4 values, but got: {}");
  const auto strides =
      window_attr(attrs, "strides",
                  "Conv2D on data format {} requires the stride attribute to contain 4 values, but got: {}");
  height.stride = strides[1];
  width.stride = strides[2];
  height.dilation = dilations[1];
  width.dilation = dilations[2];
  for (int64_t stride : {height.stride, width.stride}) {
    if (stride <= 0) ShapeContext::fail(fmt::format("Stride must be > 0, but got {}", stride));
  }
  for (int64_t dilation : {height.dilation, width.dilation}) {
    if (dilation < 1) ShapeContext::fail(fmt::format("Dilation rate must be >= 1, but got {}", dilation));
  }
  strides_outside = strides[0] != 1 || strides[3] != 1;
  dilations_outside = dilations[0] != 1 || dilations[3] != 1;
  set_explicit_paddings(attrs, padding, order, height, width);
}

// ---- shapes

void check_depths(const ShapeContext& context, int64_t in, int64_t filter_in, int64_t out) {
  const bool running = context.running();
  if (filter_in == 0) {
    ShapeContext::fail(running ? "filter depth must be stricly positive, got 0"
                               : "Depth of filter must not be 0");
  }
  if (in < 0 || filter_in < 0) return;
  if (in % filter_in != 0) {
    ShapeContext::fail(
        running ? fmt::format("input depth must be evenly divisible by filter depth: {} vs {}", in, filter_in)
                : fmt::format("Depth of input ({}) is not a multiple of input depth of filter ({})", in,
                              filter_in));
  }
  const int64_t groups = in / filter_in;
  if (out < 0 || groups == 0 || out % groups == 0) return;
  ShapeContext::fail(
      running
          ? fmt::format("output depth must be evenly divisible by number of groups: {} vs {}", out, groups)
          : fmt::format("Depth of output ({}) is not a multiple of the number of groups ({})", out, groups));
}

void check_running_ranks(const ShapeContext& context) {
  if (context.input(0).rank() != 4) {
    ShapeContext::fail(
        fmt::format("convolution input must be 4-dimensional: {}", context.input(0).to_string()));
  }
  if (context.input(1).rank() != 4) {
    ShapeContext::fail(
        fmt::format("convolution filter must be 4-dimensional: {}", context.input(1).to_string()));
  }
}

void conv2d_shape(ShapeContext& context) {
  if (context.running()) {
    check_running_ranks(context);
    if (context.input(1).num_elements() == 0) {
      ShapeContext::fail("filter must not have zero elements (i.e. all dimensions must be non-zero)");
    }
  }
  const Shape in = context.with_rank(0, 4);
  const Shape filter = context.with_rank(1, 4);
  ConvAttrs conv(context.attrs());
  check_depths(context, in.dim(conv.order.channels), filter.dim(2), filter.dim(3));
  conv.height.window = filter.dim(0);
  conv.width.window = filter.dim(1);
  const auto places = [&](int dim, const WindowDim& window) {
    return places_of(in.dim(dim), window, conv.padding, context.running()).count;
  };
  const int64_t rows = places(conv.order.height, conv.height);
  const int64_t columns = places(conv.order.width, conv.width);
  context.set_output(0, image_shape(conv.order, in.dim(conv.order.batch), rows, columns, filter.dim(3)));
}

/// What Conv2DBackpropInput and Conv2DBackpropFilter check at run time: `in` must give `out_gradient`
/// by `filter`.
void check_running_gradient(const char* op, ConvAttrs conv, const Shape& in, const Shape& filter,
                            const Shape& out_gradient) {
  const auto fail = [op](const std::string& text) { ShapeContext::fail(fmt::format("{}: {}", op, text)); };
  for (const auto& [shape, what] :
       {std::pair{&in, "input"}, std::pair{&filter, "filter"}, std::pair{&out_gradient, "out_backprop"}}) {
    if (shape->rank() != 4) fail(fmt::format("{} must be 4-dimensional", what));
  }
  const int64_t batch = in.dim(conv.order.batch);
  const int64_t gradient_batch = out_gradient.dim(conv.order.batch);
  if (batch != gradient_batch) {
    fail(fmt::format(
        "input and out_backprop must have the same batch size. Input batch: {}, outbackprop batch: {}, "
        "batch_dim: {}",
        batch, gradient_batch, conv.order.batch));
  }
  if (filter.dim(2) == 0 || in.dim(conv.order.channels) % filter.dim(2) != 0) {
    fail("input depth must be evenly divisible by filter depth");
  }
  if (filter.dim(3) != out_gradient.dim(conv.order.channels)) {
    fail("filter and out_backprop must have the same out_depth");
  }
  const int64_t groups = in.dim(conv.order.channels) / filter.dim(2);
  if (groups > 0 && filter.dim(3) % groups != 0) {
    fail(fmt::format("output depth must be evenly divisible by number of groups: {} vs {}", filter.dim(3),
                     groups));
  }
  conv.height.window = filter.dim(0);
  conv.width.window = filter.dim(1);
  const WindowDim* windows[] = {&conv.height, &conv.width};
  const int dims[] = {conv.order.height, conv.order.width};
  for (int i = 0; i < 2; ++i) {
    const WindowDim& window = *windows[i];
    const int64_t computed = places_of(in.dim(dims[i]), window, conv.padding, true).count;
    const int64_t actual = out_gradient.dim(dims[i]);
    if (computed == actual) continue;
    fail(fmt::format(
        "Size of out_backprop doesn't match computed: actual = {}, computed = {} spatial_dim: {} input: {} "
        "filter: {} output: {} stride: {} dilation: {}",
        actual, computed, dims[i], in.dim(dims[i]), window.window, actual, window.stride, window.dilation));
  }
}

/// The images' shape from `input_sizes`, which has all four dimensions or the spatial ones only.
Shape specified_input_shape(const ShapeContext& context, const ConvAttrs& conv, const Shape& filter,
                            int64_t batch) {
  const Shape specified = context.value_as_shape(0);
  const int64_t depth = filter.dim(2);
  if (!specified.has_rank()) return image_shape(conv.order, batch, -1, -1, depth);
  if (specified.rank() == 2) return image_shape(conv.order, batch, specified.dim(0), specified.dim(1), depth);
  if (specified.rank() != 4) {
    ShapeContext::fail(
        fmt::format("Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {}",
                    specified.rank()));
  }
  return specified;
}

/// Sizes must be a vector.
void check_running_sizes(const ShapeContext& context, int i, const char* text) {
  if (context.running() && context.input(i).rank() != 1) {
    ShapeContext::fail(fmt::format("{} input must be 1-dim, not {}", text, context.input(i).rank()));
  }
}

void backprop_input_shape(ShapeContext& context) {
  const ConvAttrs conv(context.attrs());
  check_running_sizes(context, 0, "Conv2DBackpropInput: input_sizes");
  if (context.running() && context.input(1).rank() != 4) {
    ShapeContext::fail("Conv2DCustomBackpropInput: filter must be 4-dimensional");
  }
  if (context.running() && context.input(2).rank() != 4) {
    ShapeContext::fail(fmt::format("input_sizes must be 4-dimensional, got: {}", context.input(2).rank()));
  }
  const Shape filter = context.with_rank(1, 4);
  const Shape out_gradient = context.with_rank(2, 4);
  const int64_t batch = out_gradient.dim(conv.order.batch);
  Shape in = specified_input_shape(context, conv, filter, batch);
  if (context.running()) {
    check_running_gradient("Conv2DCustomBackpropInput", conv, in, filter, out_gradient);
  } else {
    ShapeContext::merge_dim(out_gradient.dim(conv.order.channels), filter.dim(3));
    in.set_dim(conv.order.batch, ShapeContext::merge_dim(in.dim(conv.order.batch), batch));
  }
  context.set_output(0, in);
}

void backprop_filter_shape(ShapeContext& context) {
  const ConvAttrs conv(context.attrs());
  check_running_sizes(context, 1, "Conv2DCustomBackpropFilter: filter_sizes");
  Shape filter = context.value_as_shape(1);
  if (!filter.has_rank()) filter = Shape::of_rank(4);
  if (context.running() && filter.rank() != 4) {
    ShapeContext::fail("Conv2DCustomBackpropFilter: filter must be 4-dimensional");
  }
  if (filter.rank() != 4) {
    ShapeContext::fail(fmt::format("Shape must be rank 4 but is rank {}", filter.rank()));
  }
  if (context.running()) {
    check_running_gradient("Conv2DCustomBackpropFilter", conv, context.input(0), filter, context.input(2));
  }
  context.set_output(0, filter);
}

// ---- kernels

void check_supported(const PrepareContext& context, const ConvAttrs& conv) {
  if (context.attrs().get<std::string>("data_format") != "NHWC") {
    throw errors::UnimplementedError(fmt::format(
        "The {} op currently only supports the NHWC tensor format on the CPU. The op was given the format: "
        "{}",
        context.schema().name, context.attrs().get<std::string>("data_format")));
  }
  for (const auto& [outside, what] :
       {std::pair{conv.strides_outside, "strides"}, std::pair{conv.dilations_outside, "dilations"}}) {
    if (!outside) continue;
    throw errors::UnimplementedError(fmt::format(
        "Current implementation does not yet support {} in the batch and depth dimensions.", what));
  }
}

/// The numbers of one convolution; all shapes are NHWC and checked. A filter of fewer channels than the
/// images have is applied in groups: then these are the numbers of one group, `groups` in all.
struct GroupedShape {
  Conv2DShape shape;
  int64_t groups = 1;

  int64_t image_pixels() const { return shape.batch * shape.in_height * shape.in_width; }
  int64_t filter_taps() const { return shape.filter_height * shape.filter_width * shape.in_channels; }
  int64_t out_pixels() const { return shape.batch * shape.out_height * shape.out_width; }
};

GroupedShape conv_shape(const PrepareContext& context, const Shape& in, const Shape& filter,
                        const Shape& out) {
  ConvAttrs conv(context.attrs());
  check_supported(context, conv);
  conv.height.window = filter.dim(0);
  conv.width.window = filter.dim(1);
  const int64_t groups = std::max<int64_t>(1, in.dim(3) / filter.dim(2));
  return {.shape = {.batch = in.dim(0),
                    .in_height = in.dim(1),
                    .in_width = in.dim(2),
                    .in_channels = in.dim(3) / groups,
                    .filter_height = filter.dim(0),
                    .filter_width = filter.dim(1),
                    .out_channels = filter.dim(3) / groups,
                    .out_height = out.dim(1),
                    .out_width = out.dim(2),
                    .stride_height = conv.height.stride,
                    .stride_width = conv.width.stride,
                    .dilation_height = conv.height.dilation,
                    .dilation_width = conv.width.dilation,
                    .pad_top = places_of(in.dim(1), conv.height, conv.padding, true).pad_before,
                    .pad_left = places_of(in.dim(2), conv.width, conv.padding, true).pad_before},
          .groups = groups};
}

/// Where one of the three arrays of a convolution stands: input `index` of the op or its output. Each is
/// [pixels, groups * channels].
struct ConvArray {
  int index = 0;
  int64_t pixels = 0;
  int64_t channels = 0;  ///< Of one group.

  int64_t group_elements() const { return pixels * channels; }
};

/// Copies the channels of one group out of an array of all of them.
template <class T>
void take_group(const T* from, const ConvArray& array, int64_t groups, int64_t group, T* to) {
  for (int64_t i = 0; i < array.pixels; ++i) {
    std::copy_n(from + (i * groups + group) * array.channels, array.channels, to + i * array.channels);
  }
}

template <class T>
void put_group(const T* from, const ConvArray& array, int64_t groups, int64_t group, T* to) {
  for (int64_t i = 0; i < array.pixels; ++i) {
    std::copy_n(from + i * array.channels, array.channels, to + (i * groups + group) * array.channels);
  }
}

/// What the three ops have in common: run(convolution, first, second, result, workspace, threads).
struct ConvArrays {
  int64_t groups = 1;
  ConvArray first;
  ConvArray second;
  ConvArray result;

  template <class T>
  size_t group_bytes() const {
    if (groups == 1) return 0;
    const int64_t elements = first.group_elements() + second.group_elements() + result.group_elements();
    return (static_cast<size_t>(elements) * sizeof(T) + 63) / 64 * 64;
  }
};

template <class T, class Convolution, class Run>
std::unique_ptr<Kernel> make_conv_kernel(const PrepareContext& context, Convolution convolution,
                                         const ConvArrays& arrays, Run run, graph::PieceRule pieces = {}) {
  const size_t group_bytes = arrays.group_bytes<T>();
  const size_t workspace_bytes = group_bytes + convolution.workspace_bytes(context.workers());
  return graph::make_kernel(
      [convolution = std::move(convolution), arrays, run, group_bytes](const KernelCall& call,
                                                                       const graph::PieceSink* sink) {
        Parallel& parallel = call.parallel();
        const T* first = call.in<T>(arrays.first.index);
        const T* second = call.in<T>(arrays.second.index);
        if (arrays.groups == 1) {
          return run(convolution, first, second, call.out<T>(0), call.workspace<void>(), parallel, sink);
        }
        T* group_first = call.workspace<T>();
        T* group_second = group_first + arrays.first.group_elements();
        T* group_result = group_second + arrays.second.group_elements();
        void* workspace = call.workspace<char>() + group_bytes;
        for (int64_t group = 0; group < arrays.groups; ++group) {
          take_group(first, arrays.first, arrays.groups, group, group_first);
          take_group(second, arrays.second, arrays.groups, group, group_second);
          run(convolution, group_first, group_second, group_result, workspace, parallel, nullptr);
          put_group(group_result, arrays.result, arrays.groups, group, call.out<T>(0));
        }
      },
      {.workspace_bytes = workspace_bytes, .pieces = arrays.groups == 1 ? pieces : graph::PieceRule{}});
}

/// Where an operand or the result has no elements, all that the result has are zeros, and the dimensions that
/// are left of the others may be of any size. The inputs that hold sizes are vectors.
bool is_of_nothing(const PrepareContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input_shape(i).rank() == 4 && context.input_shape(i).num_elements() == 0) return true;
  }
  return context.output_shape(0).num_elements() == 0;
}

template <class Types>
std::unique_ptr<Kernel> prepare_zeros(const PrepareContext& context) {
  return kernel_for_dtype<Types>(context, context.output_dtype(0), [&]<class T>() {
    return graph::make_kernel([count = context.output_shape(0).num_elements()](const KernelCall& call) {
      std::fill_n(call.out<T>(0), count, T(0));
    });
  });
}

template <class Convolution>
graph::PieceRule pieces_of(const PrepareContext& context, const Convolution& convolution) {
  return {.elements = convolution.piece_elements(), .is_shared = convolution.is_shared(context.workers())};
}

using ConvTypes = TypeList<float, double, int32_t>;

std::unique_ptr<Kernel> prepare_conv2d(PrepareContext& context) {
  const GroupedShape conv =
      conv_shape(context, context.input_shape(0), context.input_shape(1), context.output_shape(0));
  if (is_of_nothing(context)) return prepare_zeros<ConvTypes>(context);
  const ConvArrays arrays{.groups = conv.groups,
                          .first = {0, conv.image_pixels(), conv.shape.in_channels},
                          .second = {1, conv.filter_taps(), conv.shape.out_channels},
                          .result = {0, conv.out_pixels(), conv.shape.out_channels}};
  return kernel_for_dtype<ConvTypes>(context, context.input_dtype(0), [&]<class T>() {
    const Conv2D<T> forward(conv.shape);
    return make_conv_kernel<T>(
        context, forward, arrays,
        [](const Conv2D<T>& convolution, const T* in, const T* filter, T* out, void* workspace,
           Parallel& parallel, const graph::PieceSink* sink) {
          convolution.run(in, filter, nullptr, out, workspace, parallel, sink);
        },
        pieces_of(context, forward));
  });
}

std::unique_ptr<Kernel> prepare_backprop_input(PrepareContext& context) {
  const GroupedShape conv =
      conv_shape(context, context.output_shape(0), context.input_shape(1), context.input_shape(2));
  if (is_of_nothing(context)) return prepare_zeros<ConvTypes>(context);
  const ConvArrays arrays{.groups = conv.groups,
                          .first = {1, conv.filter_taps(), conv.shape.out_channels},
                          .second = {2, conv.out_pixels(), conv.shape.out_channels},
                          .result = {0, conv.image_pixels(), conv.shape.in_channels}};
  return kernel_for_dtype<ConvTypes>(context, context.input_dtype(1), [&]<class T>() {
    const Conv2DBackwardInput<T> backward(conv.shape);
    return make_conv_kernel<T>(
        context, backward, arrays,
        [](const Conv2DBackwardInput<T>& convolution, const T* filter, const T* gradient, T* result,
           void* workspace, Parallel& parallel, const graph::PieceSink* sink) {
          convolution.run(filter, gradient, result, workspace, parallel, sink);
        },
        pieces_of(context, backward));
  });
}

std::unique_ptr<Kernel> prepare_backprop_filter(PrepareContext& context) {
  const GroupedShape conv =
      conv_shape(context, context.input_shape(0), context.output_shape(0), context.input_shape(2));
  if (is_of_nothing(context)) return prepare_zeros<FloatTypes>(context);
  const ConvArrays arrays{.groups = conv.groups,
                          .first = {0, conv.image_pixels(), conv.shape.in_channels},
                          .second = {2, conv.out_pixels(), conv.shape.out_channels},
                          .result = {0, conv.filter_taps(), conv.shape.out_channels}};
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return make_conv_kernel<T>(
        context, Conv2DBackwardFilter<T>(conv.shape), arrays,
        [](const Conv2DBackwardFilter<T>& convolution, const T* in, const T* gradient, T* result,
           void* workspace, Parallel& parallel,
           const graph::PieceSink* /*sink*/) { convolution.run(in, gradient, result, workspace, parallel); });
  });
}

// ---- gradients

/// The attributes that all three ops share.
Attrs conv_attrs(const GradientContext& g) {
  Attrs attrs;
  for (const char* name :
       {"strides", "use_cudnn_on_gpu", "padding", "explicit_paddings", "data_format", "dilations"}) {
    attrs.set(name, *g.attrs().find(name));
  }
  return attrs;
}

std::vector<Endpoint> conv2d_gradient(GradientContext& g) {
  graph::Node* shapes = g.Builder::node("ShapeN", {g.input(0), g.input(1)});
  const Endpoint of_input =
      g.op("Conv2DBackpropInput", {shapes->output(0), g.input(1), g.grad()}, conv_attrs(g));
  const Endpoint of_filter =
      g.op("Conv2DBackpropFilter", {g.input(0), shapes->output(1), g.grad()}, conv_attrs(g));
  return {of_input, of_filter};
}

std::vector<Endpoint> backprop_input_gradient(GradientContext& g) {
  const Endpoint filter_shape = python_shape(g, g.input(1));
  const Endpoint of_filter =
      g.op("Conv2DBackpropFilter", {g.grad(), filter_shape, g.input(2)}, conv_attrs(g));
  return {{}, of_filter, g.op("Conv2D", {g.grad(), g.input(1)}, conv_attrs(g))};
}

std::vector<Endpoint> backprop_filter_gradient(GradientContext& g) {
  const Endpoint input_shape = python_shape(g, g.input(0));
  const Endpoint of_input = g.op("Conv2DBackpropInput", {input_shape, g.grad(), g.input(2)}, conv_attrs(g));
  return {of_input, {}, g.op("Conv2D", {g.input(0), g.grad()}, conv_attrs(g))};
}

constexpr graph::OpRow kConvOps[] = {
    {.name = "Conv2D",
     .inputs = "input:T, filter:T",
     .outputs = "output:T",
     .attrs =
         "T:type{[float16,bfloat16,float32,float64,int32]}; strides:list(int); use_cudnn_on_gpu:bool=true; "
         "padding:string{[SAME,VALID,EXPLICIT]}; explicit_paddings:list(int)=[]; "
         "data_format:string=\"NHWC\"{[NHWC,NCHW]}; dilations:list(int)=[1,1,1,1]",
     .shape = conv2d_shape,
     .gradient = conv2d_gradient,
     .prepare = prepare_conv2d},
    {.name = "Conv2DBackpropInput",
     .inputs = "input_sizes:int32, filter:T, out_backprop:T",
     .outputs = "output:T",
     .attrs =
         "T:type{[float16,bfloat16,float32,float64,int32]}; strides:list(int); use_cudnn_on_gpu:bool=true; "
         "padding:string{[SAME,VALID,EXPLICIT]}; explicit_paddings:list(int)=[]; "
         "data_format:string=\"NHWC\"{[NHWC,NCHW]}; dilations:list(int)=[1,1,1,1]",
     .shape = backprop_input_shape,
     .gradient = backprop_input_gradient,
     .prepare = prepare_backprop_input},
    {.name = "Conv2DBackpropFilter",
     .inputs = "input:T, filter_sizes:int32, out_backprop:T",
     .outputs = "output:T",
     .attrs = "T:type{floats}; strides:list(int); use_cudnn_on_gpu:bool=true; "
              "padding:string{[SAME,VALID,EXPLICIT]}; explicit_paddings:list(int)=[]; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; dilations:list(int)=[1,1,1,1]",
     .shape = backprop_filter_shape,
     .gradient = backprop_filter_gradient,
     .prepare = prepare_backprop_filter},
};

}  // namespace

void register_conv_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kConvOps) table.add(row);
}

}  // namespace flowray::ops
