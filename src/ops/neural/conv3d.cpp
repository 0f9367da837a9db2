// Conv3D and its gradients: what lies under the windows is copied into the rows of a matrix, some of them at
// a time.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/loops/gemm.h"
#include "ops/neural/register.h"
#include "ops/neural/volume_windows.h"
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

// ---- shapes

void set_windows(VolumeAttrs& conv, const Shape& filter) {
  for (int i = 0; i < 3; ++i) conv.dims[static_cast<size_t>(i)].window = filter.dim(i);
}

void conv3d_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(0).rank() != 5) ShapeContext::fail("input must be 5-dimensional");
    if (context.input(1).rank() != 5) ShapeContext::fail("filter must be 5-dimensional");
  }
  const Shape in = context.with_rank(0, 5);
  const Shape filter = context.with_rank(1, 5);
  VolumeAttrs conv(context.attrs());
  set_windows(conv, filter);
  const int64_t depth = in.dim(conv.channels());
  if (context.running()) {
    if (filter.dim(3) == 0) ShapeContext::fail("filter_depth must be non-zero");
    if (depth % filter.dim(3) != 0) {
      ShapeContext::fail(fmt::format("Input depth must be evenly divisible by filter depth: {} vs {}", depth,
                                     filter.dim(3)));
    }
    if (filter.num_elements() == 0) {
      ShapeContext::fail("filter must not have zero elements (i.e. all dimensions must be non-zero)");
    }
  } else {
    (void)ShapeContext::merge_dim(depth, filter.dim(3));
  }
  context.set_output(0, windows_shape(conv, in, filter.dim(4), context.running()));
}

/// The shape that the numbers of input `i` are; `wording` is what TensorFlow says of numbers that are
/// no vector.
Shape asked_shape(const ShapeContext& context, int i, const char* wording) {
  if (context.running() && context.input(i).rank() != 1) {
    ShapeContext::fail(fmt::format(fmt::runtime(wording), fmt::arg("shape", context.input(i).to_string()),
                                   fmt::arg("rank", context.input(i).rank())));
  }
  Shape shape = context.value_as_shape(i);
  if (!shape.has_rank()) shape = Shape::of_rank(5);
  if (shape.rank() != 5 && !context.running()) {
    ShapeContext::fail(fmt::format("Shape must be rank 5 but is rank {}", shape.rank()));
  }
  return shape;
}

/// In a step: that all have five dimensions, and the gradient is of what the windows make of `in`.
void check_running(const ShapeContext& context, const char* op, const Shape& in, const Shape& filter,
                   const Shape& gradient) {
  if (!context.running()) return;
  for (const auto& [shape, name] :
       {std::pair{&in, "input"}, {&filter, "filter_sizes"}, {&gradient, "out_backprop"}}) {
    if (shape->rank() != 5) ShapeContext::fail(fmt::format("{} tensor must have 5 dimensions", name));
  }
  VolumeAttrs conv(context.attrs());
  set_windows(conv, filter);
  const int channels = conv.channels();
  if (in.dim(channels) != filter.dim(3)) {
    ShapeContext::fail(fmt::format(
        "input and filter_sizes must have the same number of channels. Got {} for input and {} for "
        "filter_sizes",
        in.dim(channels), filter.dim(3)));
  }
  if (gradient.dim(channels) != filter.dim(4)) {
    ShapeContext::fail(
        fmt::format("out_backprop and filter_sizes must have the same number of channels. Got {} for "
                    "out_backprop and {} for filter_sizes",
                    gradient.dim(channels), filter.dim(4)));
  }
  if (gradient.dim(0) != in.dim(0)) {
    ShapeContext::fail(
        fmt::format("{}: input and out_backprop must have the same batch size. Input batch: {}, "
                    "outbackprop batch: {}, batch_dim: 0",
                    op, in.dim(0), gradient.dim(0)));
  }
  const Shape expected = windows_shape(conv, in, filter.dim(4), true);
  for (int i = 0; i < 3; ++i) {
    const int dim = conv.spatial(i);
    if (expected.dim(dim) == gradient.dim(dim)) continue;
    const WindowDim& window = conv.dims[static_cast<size_t>(i)];
    ShapeContext::fail(fmt::format(
        "{}: Size of out_backprop doesn't match computed: actual = {}, computed = {} spatial_dim: {} "
        "input: {} filter: {} output: {} stride: {} dilation: {}",
        op, gradient.dim(dim), expected.dim(dim), dim, in.dim(dim), window.window, gradient.dim(dim),
        window.stride, window.dilation));
  }
}

/// The shape of an input. While the graph is built it must have five dimensions; in a
/// step it is checked later.
Shape volume(const ShapeContext& context, int i) {
  return context.running() ? context.input(i) : context.with_rank(i, 5);
}

void conv3d_backprop_input_shape(ShapeContext& context) {
  const Shape in = asked_shape(context, 0, "shape must be a vector of {{int32,int64}}, got shape {shape}");
  check_running(context, "Conv3DBackpropInputOp", in, volume(context, 1), volume(context, 2));
  context.set_output(0, in);
}

void conv3d_backprop_filter_shape(ShapeContext& context) {
  const Shape filter = asked_shape(context, 1, "filter_sizes shape must be rank 1 but is rank {rank}");
  check_running(context, "Conv3DBackpropFilterOp", volume(context, 0), filter, volume(context, 2));
  context.set_output(0, filter);
}

// ---- kernels

/// One convolution. Places are those of the output, `width` the numbers under a window.
struct Convolution {
  VolumeWindows windows;
  int64_t in_channels;
  int64_t out_channels;
  int64_t places_at_once;

  int64_t width() const { return windows.taps() * in_channels; }

  template <class T>
  size_t patch_bytes() const {
    return (static_cast<size_t>(places_at_once * width()) * sizeof(T) + 63) / 64 * 64;
  }

  /// step(first place, their number)
  template <class Step>
  void in_steps(const Step& step) const {
    const int64_t places = windows.out_places();
    for (int64_t first = 0; first < places; first += places_at_once) {
      step(first, std::min(places_at_once, places - first));
    }
  }

  template <class T>
  void take_patches(const T* in, int64_t first, int64_t count, T* patches, Parallel& parallel) const {
    parallel.for_range(count, 16, [&](int64_t begin, int64_t end, int /*worker*/) {
      std::fill(patches + begin * width(), patches + end * width(), T(0));
      for (int64_t i = begin; i < end; ++i) {
        windows.for_taps(first + i, [&](int64_t tap, int64_t place) {
          std::copy_n(in + place * in_channels, in_channels, patches + i * width() + tap * in_channels);
        });
      }
    });
  }

  template <class T>
  void add_patches(const T* patches, int64_t first, int64_t count, T* in) const {
    for (int64_t i = 0; i < count; ++i) {
      windows.for_taps(first + i, [&](int64_t tap, int64_t place) {
        const T* from = patches + i * width() + tap * in_channels;
        T* to = in + place * in_channels;
        for (int64_t c = 0; c < in_channels; ++c) to[c] += from[c];
      });
    }
  }
};

Convolution convolution_of(const PrepareContext& context, const Shape& in, const Shape& filter,
                           const Shape& out) {
  VolumeAttrs conv(context.attrs());
  set_windows(conv, filter);
  if (conv.channels_first) {
    throw errors::InvalidArgumentError(
        "CPU implementation of Conv3D currently only supports the NHWC tensor format.");
  }
  if (conv.moves_in_batch || conv.moves_in_channels) {
    throw errors::InvalidArgumentError(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (std::any_of(conv.dims.begin(), conv.dims.end(),
                  [](const WindowDim& dim) { return dim.dilation != 1; })) {
    throw errors::InvalidArgumentError(
        "CPU implementation of Conv3D currently only supports dilated rates of 1.");
  }
  if (in.dim(4) != filter.dim(3)) {
    throw errors::UnimplementedError(
        "Conv3D of a filter with fewer channels than the volumes have is not computed here");
  }
  Convolution result{VolumeWindows(conv, in, out), filter.dim(3), filter.dim(4), 1};
  // Where an array has no elements, its other dimensions may be of any size.
  if (in.num_elements() == 0) result.windows.in = {};
  if (filter.num_elements() == 0) result.windows.window = {};
  if (in.num_elements() == 0 || filter.num_elements() == 0 || out.num_elements() == 0)
    result.windows.out = {};  // nothing is added up
  constexpr int64_t kPatchElements = 1 << 18;
  result.places_at_once = std::clamp<int64_t>(kPatchElements / std::max<int64_t>(1, result.width()), 1,
                                              std::max<int64_t>(1, result.windows.out_places()));
  return result;
}

/// Both sizes of step: all but the last have as many places, the last may have fewer.
template <class T>
struct Products {
  Gemm<T> whole;
  Gemm<T> last;

  template <class Shape>
  Products(const Convolution& conv, const Shape& shape, const GemmEpilogue& epilogue)
      : whole(shape(conv.places_at_once), epilogue),
        last(shape(std::max<int64_t>(1, conv.windows.out_places() % conv.places_at_once)), epilogue) {}

  const Gemm<T>& of(const Convolution& conv, int64_t count) const {
    return count == conv.places_at_once ? whole : last;
  }
  size_t workspace_bytes(int workers) const {
    return std::max(whole.workspace_bytes(workers), last.workspace_bytes(workers));
  }
};

std::unique_ptr<Kernel> prepare_conv3d(PrepareContext& context) {
  const Convolution conv =
      convolution_of(context, context.input_shape(0), context.input_shape(1), context.output_shape(0));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    const auto shape = [&](int64_t places) {
      return GemmShape{.m = places, .n = conv.out_channels, .k = conv.width()};
    };
    const Products<T> products(conv, shape, {});
    return graph::make_kernel(
        [conv, products](const KernelCall& call) {
          T* patches = call.workspace<T>();
          void* workspace = call.workspace<char>() + conv.patch_bytes<T>();
          conv.in_steps([&](int64_t first, int64_t count) {
            conv.take_patches(call.in<T>(0), first, count, patches, call.parallel());
            products.of(conv, count)
                .run(patches, call.in<T>(1), nullptr, call.out<T>(0) + first * conv.out_channels, workspace,
                     call.parallel());
          });
        },
        {.workspace_bytes = conv.patch_bytes<T>() + products.workspace_bytes(context.workers())});
  });
}

std::unique_ptr<Kernel> prepare_conv3d_backprop_input(PrepareContext& context) {
  const Convolution conv =
      convolution_of(context, context.output_shape(0), context.input_shape(1), context.input_shape(2));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(1), [&]<class T>() {
    const auto shape = [&](int64_t places) {
      return GemmShape{.m = places, .n = conv.width(), .k = conv.out_channels, .transpose_b = true};
    };
    const Products<T> products(conv, shape, {});
    return graph::make_kernel(
        [conv, products](const KernelCall& call) {
          T* patches = call.workspace<T>();
          void* workspace = call.workspace<char>() + conv.patch_bytes<T>();
          std::fill_n(call.out<T>(0), conv.windows.in_places() * conv.in_channels, T(0));
          conv.in_steps([&](int64_t first, int64_t count) {
            products.of(conv, count)
                .run(call.in<T>(2) + first * conv.out_channels, call.in<T>(1), nullptr, patches, workspace,
                     call.parallel());
            conv.add_patches(patches, first, count, call.out<T>(0));
          });
        },
        {.workspace_bytes = conv.patch_bytes<T>() + products.workspace_bytes(context.workers())});
  });
}

std::unique_ptr<Kernel> prepare_conv3d_backprop_filter(PrepareContext& context) {
  const Convolution conv =
      convolution_of(context, context.input_shape(0), context.output_shape(0), context.input_shape(2));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    const auto shape = [&](int64_t places) {
      return GemmShape{.m = conv.width(), .n = conv.out_channels, .k = places, .transpose_a = true};
    };
    const Products<T> products(conv, shape, {.add_to_c = true});
    return graph::make_kernel(
        [conv, products](const KernelCall& call) {
          T* patches = call.workspace<T>();
          void* workspace = call.workspace<char>() + conv.patch_bytes<T>();
          std::fill_n(call.out<T>(0), conv.width() * conv.out_channels, T(0));
          conv.in_steps([&](int64_t first, int64_t count) {
            conv.take_patches(call.in<T>(0), first, count, patches, call.parallel());
            products.of(conv, count)
                .run(patches, call.in<T>(2) + first * conv.out_channels, nullptr, call.out<T>(0), workspace,
                     call.parallel());
          });
        },
        {.workspace_bytes = conv.patch_bytes<T>() + products.workspace_bytes(context.workers())});
  });
}

// ---- gradients

Attrs conv3d_attrs(const GradientContext& g) {
  Attrs attrs;
  for (const char* name : {"dilations", "strides", "padding", "data_format"}) {
    if (const graph::AttrValue* value = g.attrs().find(name)) attrs.set(name, *value);
  }
  return attrs;
}

std::vector<Endpoint> conv3d_gradient(GradientContext& g) {
  graph::Node* shapes = g.Builder::node("ShapeN", {g.input(0), g.input(1)});
  const Endpoint of_input =
      g.op("Conv3DBackpropInputV2", {shapes->output(0), g.input(1), g.grad()}, conv3d_attrs(g));
  return {of_input,
          g.op("Conv3DBackpropFilterV2", {g.input(0), shapes->output(1), g.grad()}, conv3d_attrs(g))};
}

std::vector<Endpoint> conv3d_backprop_input_gradient(GradientContext& g) {
  const Endpoint filter_shape = python_shape(g, g.input(1));
  const Endpoint of_filter =
      g.op("Conv3DBackpropFilterV2", {g.grad(), filter_shape, g.input(2)}, conv3d_attrs(g));
  return {{}, of_filter, g.op("Conv3D", {g.grad(), g.input(1)}, conv3d_attrs(g))};
}

std::vector<Endpoint> conv3d_backprop_filter_gradient(GradientContext& g) {
  const Endpoint input_shape = python_shape(g, g.input(0));
  const Endpoint of_input =
      g.op("Conv3DBackpropInputV2", {input_shape, g.grad(), g.input(2)}, conv3d_attrs(g));
  return {of_input, {}, g.op("Conv3D", {g.input(0), g.grad()}, conv3d_attrs(g))};
}

constexpr graph::OpRow kConv3DOps[] = {
    {.name = "Conv3D",
     .inputs = "input:T, filter:T",
     .outputs = "output:T",
     .attrs = "T:type{floats}; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; dilations:list(int)=[1,1,1,1,1]",
     .shape = conv3d_shape,
     .gradient = conv3d_gradient,
     .prepare = prepare_conv3d},
    {.name = "Conv3DBackpropInputV2",
     .inputs = "input_sizes:Tshape, filter:T, out_backprop:T",
     .outputs = "output:T",
     .attrs = "T:type{floats}; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; dilations:list(int)=[1,1,1,1,1]; "
              "Tshape:type=int32{indices}",
     .shape = conv3d_backprop_input_shape,
     .gradient = conv3d_backprop_input_gradient,
     .prepare = prepare_conv3d_backprop_input},
    {.name = "Conv3DBackpropFilterV2",
     .inputs = "input:T, filter_sizes:int32, out_backprop:T",
     .outputs = "output:T",
     .attrs = "T:type{floats}; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; dilations:list(int)=[1,1,1,1,1]",
     .shape = conv3d_backprop_filter_shape,
     .gradient = conv3d_backprop_filter_gradient,
     .prepare = prepare_conv3d_backprop_filter},
};

}  // namespace

void register_conv3d_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kConv3DOps) table.add(row);
}

}  // namespace flowray::ops
