// DepthwiseConv2dNative and its gradients: each channel of the images has filters of its own.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/neural/register.h"
#include "ops/neural/window_geometry.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

struct DepthwiseAttrs {
  DataOrder order;
  Padding padding;
  WindowDim height;
  WindowDim width;

  explicit DepthwiseAttrs(const graph::Attrs& attrs) : order(data_order(attrs)), padding(padding_of(attrs)) {
    const auto strides = window_attr(
        attrs, "strides",
        "DepthwiseConv2D on data format {} requires the stride attribute to contain 4 values, but got: {}");
    const auto dilations = window_attr(
        attrs, "dilations",
        "DepthwiseConv2D on data format {} requires the dilation attribute to contain 4 values, but got: {}");
    height = {.stride = strides[1], .dilation = dilations[1]};
    width = {.stride = strides[2], .dilation = dilations[2]};
    for (const WindowDim* dim : {&height, &width}) {
      if (dim->stride <= 0) ShapeContext::fail(fmt::format("Stride must be > 0, but got {}", dim->stride));
      if (dim->dilation <= 0)
        ShapeContext::fail(fmt::format("Dilation rate must be >= 1, but got {}", dim->dilation));
    }
    set_explicit_paddings(attrs, padding, order, height, width);
  }

  void set_filter(const Shape& filter) {
    height.window = filter.dim(0);
    width.window = filter.dim(1);
  }
};

// ---- shapes

Shape output_of(const ShapeContext& context, const Shape& in, const Shape& filter) {
  DepthwiseAttrs attrs(context.attrs());
  attrs.set_filter(filter);
  const int64_t depth = ShapeContext::merge_dim(in.dim(attrs.order.channels), filter.dim(2));
  const int64_t multiplier = filter.dim(3);
  return image_shape(
      attrs.order, in.dim(attrs.order.batch),
      places_of(in.dim(attrs.order.height), attrs.height, attrs.padding, context.running()).count,
      places_of(in.dim(attrs.order.width), attrs.width, attrs.padding, context.running()).count,
      depth < 0 || multiplier < 0 ? Shape::kUnknownDim : int64_t{checked(depth) * multiplier});
}

void check_running_forward(const ShapeContext& context) {
  if (context.input(0).rank() != 4)
    ShapeContext::fail("input must be 4-dimensional" + context.input(0).to_string());
  if (context.input(1).rank() != 4)
    ShapeContext::fail("filter must be 4-dimensional: " + context.input(1).to_string());
}

void forward_shape(ShapeContext& context) {
  if (context.running()) check_running_forward(context);
  const Shape in = context.with_rank(0, 4);
  const Shape filter = context.with_rank(1, 4);
  if (context.running()) {
    const int64_t depth = in.dim(DepthwiseAttrs(context.attrs()).order.channels);
    if (depth != filter.dim(2)) {
      ShapeContext::fail(
          fmt::format("input and filter must have the same depth: {} vs {}", depth, filter.dim(2)));
    }
  }
  context.set_output(0, output_of(context, in, filter));
}

/// The words of TensorFlow's kernels of the gradients. `in` and `filter` are what the op is told or given.
void check_running_gradient(const ShapeContext& context, const Shape& in, const Shape& filter) {
  const bool of_input = context.schema().name.ends_with("Input");
  const auto fail = [&](const std::string& text) {
    ShapeContext::fail(fmt::format("DepthwiseConv2DBackprop{}: {}", of_input ? "Input" : "Filter", text));
  };
  const Shape& out = context.input(2);
  if (in.rank() != 4) fail("input must be 4-dimensional");
  if (filter.rank() != 4) fail("filter must be 4-dimensional");
  if (out.rank() != 4) fail("out_backprop must be 4-dimensional");
  DepthwiseAttrs attrs(context.attrs());
  attrs.set_filter(filter);
  const DataOrder& order = attrs.order;
  if (in.dim(order.batch) != out.dim(order.batch))
    fail("input and out_backprop must have the same batch size");
  const int64_t depth = in.dim(order.channels);
  if (depth != filter.dim(2)) fail("input and filter must have the same in_depth");
  if (checked(filter.dim(3)) * depth != out.dim(order.channels))
    fail("depth_multiplier * in_depth not equal to out_depth");
  for (const auto& [name, dim, window] :
       {std::tuple("rows", order.height, &attrs.height), std::tuple("columns", order.width, &attrs.width)}) {
    const int64_t count = places_of(in.dim(dim), *window, attrs.padding, true).count;
    if (count == out.dim(dim)) continue;
    fail(fmt::format("Number of {} of out_backprop doesn't match computed: actual = {}, computed = {}", name,
                     out.dim(dim), count));
  }
}

Shape sizes_of(const ShapeContext& context, int i) {
  const std::string& name = context.schema().inputs[static_cast<size_t>(i)].name;
  if (context.running() && context.input(i).rank() != 1) {
    ShapeContext::fail(fmt::format("Conv2DBackprop{}: {} input must be 1-dim, not {}",
                                   i == 0 ? "Input" : "Filter", name, context.input(i).rank()));
  }
  if (context.running()) {
    const std::vector<int64_t> dims = context.integers(i);
    for (size_t k = 0; k < dims.size(); ++k) {
      if (dims[k] < 0) ShapeContext::fail(fmt::format("Dimension {} of {} must be >= 0", k, name));
    }
    return Shape(dims);
  }
  const Shape sizes = context.value_as_shape(i);
  if (!sizes.has_rank()) return Shape::of_rank(4);
  if (sizes.rank() != 4)
    ShapeContext::fail(fmt::format("{} must have 4 elements, but has {}", name, sizes.rank()));
  return sizes;
}

void depthwise_backprop_input_shape(ShapeContext& context) {
  const Shape in = sizes_of(context, 0);
  if (context.running()) check_running_gradient(context, in, context.input(1));
  context.with_rank(1, 4);
  context.set_output(0, in);
}

void depthwise_backprop_filter_shape(ShapeContext& context) {
  const Shape filter = sizes_of(context, 1);
  if (context.running()) check_running_gradient(context, context.input(0), filter);
  context.with_rank(0, 4);
  context.set_output(0, filter);
}

// ---- kernels

/// The numbers of one convolution over NHWC images.
struct Depthwise {
  int64_t batch, in_height, in_width, channels, filter_height, filter_width, multiplier, out_height,
      out_width;
  WindowDim height, width;
  int64_t pad_top, pad_left;

  Depthwise(const PrepareContext& context, const Shape& in, const Shape& filter, const Shape& out)
      : batch(in.dim(0)),
        in_height(in.dim(1)),
        in_width(in.dim(2)),
        channels(in.dim(3)),
        filter_height(filter.dim(0)),
        filter_width(filter.dim(1)),
        multiplier(filter.dim(3)),
        out_height(out.dim(1)),
        out_width(out.dim(2)) {
    DepthwiseAttrs attrs(context.attrs());
    if (attrs.order.channels != 3) {
      throw errors::UnimplementedError("Depthwise convolution on CPU is only supported for NHWC format");
    }
    attrs.set_filter(filter);
    height = attrs.height;
    width = attrs.width;
    pad_top = places_of(in_height, height, attrs.padding, true).pad_before;
    pad_left = places_of(in_width, width, attrs.padding, true).pad_before;
  }

  int64_t in_elements() const { return batch * in_height * in_width * channels; }
  int64_t filter_elements() const { return filter_height * filter_width * channels * multiplier; }
  int64_t out_row() const { return out_width * channels * multiplier; }

  /// visit(offset in the image, offset in the filter, offset in the output) for the taps of row `row` of all
  /// batches' output rows; each stands for all channels.
  template <class Visit>
  void for_taps(int64_t row, Visit visit) const {
    const int64_t image = row / out_height;
    const int64_t y = row % out_height * height.stride - pad_top;
    for (int64_t column = 0; column < out_width; ++column) {
      const int64_t x = column * width.stride - pad_left;
      for (int64_t i = 0; i < filter_height; ++i) {
        const int64_t in_y = y + i * height.dilation;
        if (in_y < 0 || in_y >= in_height) continue;
        for (int64_t j = 0; j < filter_width; ++j) {
          const int64_t in_x = x + j * width.dilation;
          if (in_x < 0 || in_x >= in_width) continue;
          visit(((image * in_height + in_y) * in_width + in_x) * channels,
                (i * filter_width + j) * channels * multiplier,
                (row * out_width + column) * channels * multiplier);
        }
      }
    }
  }
};

template <class T>
using Sums = Wide<T>;

/// Where one of the arrays has no elements, all that the result has are zeros, and the dimensions that are
/// left of the others may be of any size.
bool is_of_nothing(const PrepareContext& context) {
  const Shape& result = context.output_shape(0);
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input_shape(i).rank() == 4 && context.input_shape(i).num_elements() == 0) return true;
  }
  return result.num_elements() == 0;
}

template <class T>
std::unique_ptr<Kernel> zeros_kernel(const PrepareContext& context) {
  return graph::make_kernel([count = context.output_shape(0).num_elements()](const KernelCall& call) {
    std::fill_n(call.out<T>(0), count, T(0));
  });
}

template <class T>
void run_forward(const Depthwise& conv, const T* in, const T* filter, T* out, int64_t begin, int64_t end) {
  const int64_t width = conv.channels * conv.multiplier;
  std::vector<Sums<T>> sums(static_cast<size_t>(conv.out_row()));
  for (int64_t row = begin; row < end; ++row) {
    std::fill(sums.begin(), sums.end(), Sums<T>(0));
    const int64_t first = row * conv.out_row();
    conv.for_taps(row, [&](int64_t image, int64_t tap, int64_t place) {
      Sums<T>* const to = sums.data() + (place - first);
      if (conv.multiplier == 1) {
        for (int64_t c = 0; c < width; ++c)
          to[c] += static_cast<Sums<T>>(in[image + c]) * static_cast<Sums<T>>(filter[tap + c]);
        return;
      }
      for (int64_t c = 0; c < width; ++c)
        to[c] +=
            static_cast<Sums<T>>(in[image + c / conv.multiplier]) * static_cast<Sums<T>>(filter[tap + c]);
    });
    for (int64_t i = 0; i < conv.out_row(); ++i)
      out[first + i] = static_cast<T>(sums[static_cast<size_t>(i)]);
  }
}

template <class T>
std::unique_ptr<Kernel> forward_kernel(const Depthwise& conv) {
  return graph::make_kernel([conv](const KernelCall& call) {
    constexpr int64_t kMinMultiplications = 16 * 1024;
    const int64_t work = std::max<int64_t>(1, conv.out_row() * conv.filter_height * conv.filter_width);
    call.parallel().for_range(conv.batch * conv.out_height, 1 + kMinMultiplications / work,
                              [&](int64_t begin, int64_t end, int) {
                                run_forward(conv, call.in<T>(0), call.in<T>(1), call.out<T>(0), begin, end);
                              });
  });
}

/// Images are independent of each other: each worker has some.
template <class T>
std::unique_ptr<Kernel> backprop_input_kernel(const Depthwise& conv) {
  return graph::make_kernel([conv](const KernelCall& call) {
    const T* const filter = call.in<T>(1);
    const T* const grad = call.in<T>(2);
    const int64_t image_elements = conv.in_height * conv.in_width * conv.channels;
    call.parallel().for_range(conv.batch, 1, [&](int64_t begin, int64_t end, int) {
      std::vector<Sums<T>> sums(static_cast<size_t>(image_elements));
      for (int64_t b = begin; b < end; ++b) {
        std::fill(sums.begin(), sums.end(), Sums<T>(0));
        for (int64_t row = b * conv.out_height; row < (b + 1) * conv.out_height; ++row) {
          conv.for_taps(row, [&](int64_t image, int64_t tap, int64_t place) {
            Sums<T>* const to = sums.data() + (image - b * image_elements);
            for (int64_t c = 0; c < conv.channels * conv.multiplier; ++c)
              to[c / conv.multiplier] +=
                  static_cast<Sums<T>>(grad[place + c]) * static_cast<Sums<T>>(filter[tap + c]);
          });
        }
        for (int64_t i = 0; i < image_elements; ++i)
          call.out<T>(0)[b * image_elements + i] = static_cast<T>(sums[static_cast<size_t>(i)]);
      }
    });
  });
}

template <class T>
std::unique_ptr<Kernel> backprop_filter_kernel(const Depthwise& conv) {
  return graph::make_kernel([conv](const KernelCall& call) {
    const T* const in = call.in<T>(0);
    const T* const grad = call.in<T>(2);
    std::vector<Sums<T>> sums(static_cast<size_t>(conv.filter_elements()), Sums<T>(0));
    for (int64_t row = 0; row < conv.batch * conv.out_height; ++row) {
      conv.for_taps(row, [&](int64_t image, int64_t tap, int64_t place) {
        Sums<T>* const to = sums.data() + tap;
        for (int64_t c = 0; c < conv.channels * conv.multiplier; ++c)
          to[c] +=
              static_cast<Sums<T>>(in[image + c / conv.multiplier]) * static_cast<Sums<T>>(grad[place + c]);
      });
    }
    for (size_t i = 0; i < sums.size(); ++i) call.out<T>(0)[i] = static_cast<T>(sums[i]);
  });
}

std::unique_ptr<Kernel> prepare_forward(PrepareContext& context) {
  const Depthwise conv(context, context.input_shape(0), context.input_shape(1), context.output_shape(0));
  return kernel_for_dtype<RealFloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return is_of_nothing(context) ? zeros_kernel<T>(context) : forward_kernel<T>(conv);
  });
}
std::unique_ptr<Kernel> prepare_depthwise_backprop_input(PrepareContext& context) {
  const Depthwise conv(context, context.output_shape(0), context.input_shape(1), context.input_shape(2));
  return kernel_for_dtype<RealFloatTypes>(context, context.input_dtype(1), [&]<class T>() {
    return is_of_nothing(context) ? zeros_kernel<T>(context) : backprop_input_kernel<T>(conv);
  });
}
std::unique_ptr<Kernel> prepare_depthwise_backprop_filter(PrepareContext& context) {
  const Depthwise conv(context, context.input_shape(0), context.output_shape(0), context.input_shape(2));
  return kernel_for_dtype<RealFloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return is_of_nothing(context) ? zeros_kernel<T>(context) : backprop_filter_kernel<T>(conv);
  });
}

// ---- gradients

graph::Attrs shared_attrs(const GradientContext& g) {
  graph::Attrs attrs;
  for (const char* name : {"strides", "padding", "explicit_paddings", "data_format", "dilations"}) {
    if (const graph::AttrValue* value = g.attrs().find(name)) attrs.set(name, *value);
  }
  return attrs;
}

std::vector<Endpoint> forward_gradient(GradientContext& g) {
  const Endpoint in = g.op("DepthwiseConv2dNativeBackpropInput",
                           {python_shape(g, g.input(0)), g.input(1), g.grad()}, shared_attrs(g));
  return {in, g.op("DepthwiseConv2dNativeBackpropFilter", {g.input(0), python_shape(g, g.input(1)), g.grad()},
                   shared_attrs(g))};
}
std::vector<Endpoint> depthwise_backprop_input_gradient(GradientContext& g) {
  const Endpoint filter = g.op("DepthwiseConv2dNativeBackpropFilter",
                               {g.grad(), python_shape(g, g.input(1)), g.input(2)}, shared_attrs(g));
  return {{}, filter, g.op("DepthwiseConv2dNative", {g.grad(), g.input(1)}, shared_attrs(g))};
}
std::vector<Endpoint> depthwise_backprop_filter_gradient(GradientContext& g) {
  const Endpoint in = g.op("DepthwiseConv2dNativeBackpropInput",
                           {python_shape(g, g.input(0)), g.grad(), g.input(2)}, shared_attrs(g));
  return {in, {}, g.op("DepthwiseConv2dNative", {g.input(0), g.grad()}, shared_attrs(g))};
}

constexpr const char* kAttrs =
    "T:type{floats}; strides:list(int); padding:string{[SAME,VALID,EXPLICIT]}; "
    "explicit_paddings:list(int)=[]; data_format:string=\"NHWC\"{[NHWC,NCHW]}; dilations:list(int)=[1,1,1,1]";

constexpr graph::OpRow kDepthwiseOps[] = {
    {.name = "DepthwiseConv2dNative",
     .inputs = "input:T, filter:T",
     .outputs = "output:T",
     .attrs = kAttrs,
     .shape = forward_shape,
     .gradient = forward_gradient,
     .prepare = prepare_forward},
    {.name = "DepthwiseConv2dNativeBackpropInput",
     .inputs = "input_sizes:int32, filter:T, out_backprop:T",
     .outputs = "output:T",
     .attrs = kAttrs,
     .shape = depthwise_backprop_input_shape,
     .gradient = depthwise_backprop_input_gradient,
     .prepare = prepare_depthwise_backprop_input},
    {.name = "DepthwiseConv2dNativeBackpropFilter",
     .inputs = "input:T, filter_sizes:int32, out_backprop:T",
     .outputs = "output:T",
     .attrs = kAttrs,
     .shape = depthwise_backprop_filter_shape,
     .gradient = depthwise_backprop_filter_gradient,
     .prepare = prepare_depthwise_backprop_filter},
};

}  // namespace

void register_depthwise_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kDepthwiseOps) table.add(row);
}

}  // namespace flowray::ops
