// Pooling: AvgPool, MaxPool and their gradients.

#include "graph/gradient_context.h"
#include "graph/kernel.h"
#include "graph/shape_context.h"
#include "ops/dtype_lists.h"
#include "ops/kernel_for_dtype.h"
#include "ops/nn_ops.h"
#include "ops/pooling.h"
#include "ops/python_nodes.h"
#include "ops/shape_merging.h"
#include "ops/window_geometry.h"

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

// ---- attributes and shapes

struct PoolAttrs {
  DataOrder order;
  Padding padding;
  WindowDim batch;
  WindowDim height;
  WindowDim width;
  WindowDim channels;

  explicit PoolAttrs(const Attrs& attrs);

 private:
  void read_explicit_paddings(const std::vector<int64_t>& pads);
};

PoolAttrs::PoolAttrs(const Attrs& attrs) : order(data_order(attrs)), padding(padding_of(attrs)) {
  const auto strides =
      window_attr(attrs, "strides",
                  "Pooling on data format {} requires the stride attribute to contain 4 values, but got: {}");
  const auto windows =
      window_attr(attrs, "ksize",
                  "Pooling on data format {} requires the ksize attribute to contain 4 values, but got: {}");
  WindowDim* dims[] = {&batch, &height, &width, &channels};
  for (size_t i = 0; i < 4; ++i) {
    if (strides[i] <= 0) ShapeContext::fail(fmt::format("Stride must be > 0, but got {}", strides[i]));
    dims[i]->window = windows[i];
    dims[i]->stride = strides[i];
  }
  if (attrs.contains("explicit_paddings")) {
    read_explicit_paddings(attrs.get<std::vector<int64_t>>("explicit_paddings"));
  }
}

void PoolAttrs::read_explicit_paddings(const std::vector<int64_t>& pads) {
  if (padding != Padding::kExplicit) {
    if (pads.empty()) return;
    ShapeContext::fail("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (pads.size() != 8) {
    ShapeContext::fail(
        fmt::format("explicit_paddings attribute must contain 8 values, but got: {}", pads.size()));
  }
  if (std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad < 0; })) {
    ShapeContext::fail("All elements of explicit_paddings must be nonnegative");
  }
  const auto pad = [&](int dim, int side) { return pads[static_cast<size_t>(2 * dim + side)]; };
  for (int dim : {order.batch, order.channels}) {
    if (pad(dim, 0) != 0 || pad(dim, 1) != 0) {
      ShapeContext::fail("Nonzero explicit padding in the batch or depth dimensions is not supported");
    }
  }
  height.pad_before = pad(order.height, 0);
  height.pad_after = pad(order.height, 1);
  width.pad_before = pad(order.width, 0);
  width.pad_after = pad(order.width, 1);
}

/// What TensorFlow's kernels refuse, in its words.
void check_running(const PoolAttrs& pool, const Attrs& attrs) {
  const WindowDim* dims[] = {&pool.batch, &pool.height, &pool.width, &pool.channels};
  for (const WindowDim* dim : dims) {
    if (dim->window > 0) continue;
    const auto& ksize = attrs.get<std::vector<int64_t>>("ksize");
    ShapeContext::fail(
        fmt::format("Sliding window ksize must be positive. The specified or inferred ksize is: {}",
                    fmt::join(ksize, ",")));
  }
  const std::tuple<const char*, int64_t, int64_t> sides[] = {
      {"Top", pool.height.pad_before, pool.height.window},
      {"Bottom", pool.height.pad_after, pool.height.window},
      {"Left", pool.width.pad_before, pool.width.window},
      {"Right", pool.width.pad_after, pool.width.window}};
  for (const auto& [side, pad, window] : sides) {
    if (pad < window) continue;
    ShapeContext::fail(
        fmt::format("{} padding {} needs to be smaller than the window size {}", side, pad, window));
  }
}

Shape pooled_shape(const PoolAttrs& pool, const Shape& in, bool running) {
  const auto places = [&](int dim, const WindowDim& window) {
    return places_of(in.dim(dim), window, pool.padding, running).count;
  };
  const int64_t rows = places(pool.order.height, pool.height);
  const int64_t columns = places(pool.order.width, pool.width);
  const bool deep = pool.channels.window != 1 || pool.channels.stride != 1;
  const int64_t channels = in.dim(pool.order.channels);
  const int64_t out_channels =
      deep ? places_of(channels, pool.channels, pool.padding, running).count : channels;
  return image_shape(pool.order, in.dim(pool.order.batch), rows, columns, out_channels);
}

void check_running_rank(const Shape& in) {
  if (in.rank() != 4) {
    ShapeContext::fail(fmt::format("tensor_in_shape must have 2 spatial dimensions. {} 0", in.rank()));
  }
}

void pool_shape(ShapeContext& context) {
  const PoolAttrs pool(context.attrs());
  if (context.running()) {
    check_running_rank(context.input(0));
    check_running(pool, context.attrs());
  }
  context.set_output(0, pooled_shape(pool, context.with_rank(0, 4), context.running()));
}

void check_running_gradient(const char* name, const Shape& actual, const Shape& expected) {
  if (actual == expected) return;
  ShapeContext::fail(
      fmt::format("Expected {} shape to be {}, but got {}", name, expected.to_string(), actual.to_string()));
}

/// Images, what was made of them, and gradients, which TensorFlow calls `gradient`.
void check_running_ranks(const ShapeContext& context, const char* gradient) {
  const char* const names[] = {"tensor_in", "tensor_out", gradient};
  for (int i = 0; i < 3 && context.running(); ++i) {
    if (context.input(i).rank() != 4) ShapeContext::fail(fmt::format("{} must be 4-dimensional", names[i]));
  }
}

void max_pool_grad_shape(ShapeContext& context) {
  check_running_ranks(context, "out_backprop");
  const Shape in = context.with_rank(0, 4);
  const PoolAttrs pool(context.attrs());
  if (context.running()) {
    check_running(pool, context.attrs());
    const Shape pooled = pooled_shape(pool, in, true);
    check_running_gradient("orig_output", context.input(1), pooled);
    check_running_gradient("grad", context.input(2), pooled);
  }
  context.set_output(0, in);
}

/// The gradient of MaxPoolGrad: what was routed back is picked up again.
void max_pool_grad_grad_shape(ShapeContext& context) {
  const PoolAttrs pool(context.attrs());
  check_running_ranks(context, "out_grad_backprop");
  const Shape in = context.with_rank(0, 4);
  const Shape out = context.with_rank(1, 4);
  if (context.running()) {
    check_running(pool, context.attrs());
    check_running_gradient("orig_output", out, pooled_shape(pool, in, true));
    check_running_gradient("grad", context.input(2), in);
  }
  context.set_output(0, out);
}

void avg_pool_grad_shape(ShapeContext& context) {
  if (context.running() && (context.input(0).rank() != 1 || context.input(0).dim(0) != 4)) {
    ShapeContext::fail("out_backprop must be 1-dimensional and 4 elements");
  }
  if (context.running() && context.input(1).rank() != 4)
    ShapeContext::fail("out_backprop must be 4-dimensional");
  Shape in = context.value_as_shape(0);
  if (!in.has_rank()) in = Shape::of_rank(4);
  if (in.rank() != 4) ShapeContext::fail(fmt::format("Shape must be rank 4 but is rank {}", in.rank()));
  if (context.running()) {
    const PoolAttrs pool(context.attrs());
    check_running(pool, context.attrs());
    check_running_gradient("grad", context.input(1), pooled_shape(pool, in, true));
  }
  context.set_output(0, in);
}

// ---- kernels

/// What the gradients of maxima are routed in.
using RoutedTypes = TypeList<float, double, int32_t, int64_t, uint64_t>;

Pool2DShape kernel_shape(const PrepareContext& context, const Shape& in, const Shape& out) {
  const PoolAttrs pool(context.attrs());
  const std::string& op = context.schema().name;
  if (context.attrs().get<std::string>("data_format") != "NHWC") {
    throw errors::InvalidArgumentError(
        fmt::format("Default {}ingOp only supports NHWC on device type CPU", op.substr(0, op.find("Grad"))));
  }
  if (pool.batch.window != 1 || pool.batch.stride != 1) {
    throw errors::UnimplementedError("Pooling is not yet supported on the batch dimension.");
  }
  if (pool.channels.window != 1 || pool.channels.stride != 1) {
    const bool flat = pool.height.window == 1 && pool.width.window == 1;
    throw errors::UnimplementedError(
        flat ? "Non-spatial pooling is not yet supported."
             : "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  return {.batch = in.dim(0),
          .in_height = in.dim(1),
          .in_width = in.dim(2),
          .channels = in.dim(3),
          .window_height = pool.height.window,
          .window_width = pool.width.window,
          .stride_height = pool.height.stride,
          .stride_width = pool.width.stride,
          .out_height = out.dim(1),
          .out_width = out.dim(2),
          .pad_top = places_of(in.dim(1), pool.height, pool.padding, true).pad_before,
          .pad_left = places_of(in.dim(2), pool.width, pool.padding, true).pad_before};
}

/// Results are told of in rows of pixels.
graph::PieceRule pieces_in_rows(const PrepareContext& context, const Pool2DShape& shape) {
  constexpr int64_t kElementsPerWorker = 20'000;
  const int64_t elements = shape.batch * shape.in_height * shape.in_width * shape.channels;
  return {
      .elements = context.output_shape(0).dim(2) * shape.channels,
      .is_shared = shape.batch >= context.workers() && elements >= context.workers() * kElementsPerWorker};
}

std::unique_ptr<Kernel> prepare_avg_pool(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.output_shape(0));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [pool = AveragePool2D<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(0), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

std::unique_ptr<Kernel> prepare_avg_pool_grad(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.output_shape(0), context.input_shape(1));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(1), [&]<class T>() {
    return graph::make_kernel(
        [pool = AveragePool2DGradient<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(1), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

std::unique_ptr<Kernel> prepare_max_pool(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.output_shape(0));
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [pool = MaxPool2D<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(0), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

std::unique_ptr<Kernel> prepare_max_pool_grad(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.input_shape(1));
  return kernel_for_dtype<RoutedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [pool = MaxPool2DGradient<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(0), call.in<T>(1), call.in<T>(2), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

/// For each window the gradient at its first maximum, in row-major order. Rare, so a plain loop.
template <class T>
void gather_at_maxima(const Pool2DShape& s, const T* in, const T* out, const T* gradient, T* result) {
  const auto in_at = [&](int64_t n, int64_t y, int64_t x, int64_t c) {
    return ((n * s.in_height + y) * s.in_width + x) * s.channels + c;
  };
  const auto gradient_of = [&](int64_t n, int64_t row, int64_t column, int64_t c, T max) {
    const int64_t top = row * s.stride_height - s.pad_top;
    const int64_t left = column * s.stride_width - s.pad_left;
    for (int64_t y = std::max<int64_t>(0, top); y < std::min(s.in_height, top + s.window_height); ++y) {
      for (int64_t x = std::max<int64_t>(0, left); x < std::min(s.in_width, left + s.window_width); ++x) {
        if (in[in_at(n, y, x, c)] == max) return gradient[in_at(n, y, x, c)];
      }
    }
    return T(0);
  };
  int64_t at = 0;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.out_height; ++y) {
      for (int64_t x = 0; x < s.out_width; ++x) {
        for (int64_t c = 0; c < s.channels; ++c, ++at) result[at] = gradient_of(n, y, x, c, out[at]);
      }
    }
  }
}

std::unique_ptr<Kernel> prepare_max_pool_grad_grad(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.input_shape(1));
  return kernel_for_dtype<RoutedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([shape](const KernelCall& call) {
      gather_at_maxima(shape, call.in<T>(0), call.in<T>(1), call.in<T>(2), call.out<T>(0));
    });
  });
}

// ---- gradients

Attrs pool_attrs(const GradientContext& g, bool with_explicit_paddings = false) {
  Attrs attrs;
  for (const char* name : {"ksize", "strides", "padding", "data_format"})
    attrs.set(name, *g.attrs().find(name));
  if (with_explicit_paddings) attrs.set("explicit_paddings", *g.attrs().find("explicit_paddings"));
  return attrs;
}

std::vector<Endpoint> avg_pool_gradient(GradientContext& g) {
  const Endpoint shape = python_shape(g, g.input(0));
  return {g.op("AvgPoolGrad", {shape, g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> avg_pool_grad_gradient(GradientContext& g) {
  const Endpoint of_shape = g.op("StopGradient", {g.input(0)});
  return {of_shape, g.op("AvgPool", {g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> max_pool_gradient(GradientContext& g) {
  return {g.op("MaxPoolGrad", {g.input(0), g.output(0), g.grad()}, pool_attrs(g, true))};
}

/// Of MaxPoolGrad and MaxPoolGradGrad, each of which `op` is the other.
std::vector<Endpoint> max_pool_second_gradient(GradientContext& g, std::string_view op) {
  const Endpoint of_input = python_zeros_like(g, g.input(0));
  const Endpoint of_output = python_zeros_like(g, g.input(1));
  return {of_input, of_output, g.op(op, {g.input(0), g.input(1), g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> max_pool_grad_gradient(GradientContext& g) {
  return max_pool_second_gradient(g, "MaxPoolGradGrad");
}
std::vector<Endpoint> max_pool_grad_grad_gradient(GradientContext& g) {
  return max_pool_second_gradient(g, "MaxPoolGrad");
}

#define FLOWRAY_POOL_ATTRS "ksize:list(int); strides:list(int); padding:string{[SAME,VALID]}; "
#define FLOWRAY_EXPLICIT_POOL_ATTRS                                             \
  "ksize:list(int); strides:list(int); padding:string{[SAME,VALID,EXPLICIT]}; " \
  "explicit_paddings:list(int)=[]; "
#define FLOWRAY_DATA_FORMAT "data_format:string=\"NHWC\"{[NHWC,NCHW]}"

constexpr graph::OpRow kPoolOps[] = {
    {.name = "AvgPool",
     .inputs = "value:T",
     .outputs = "output:T",
     .attrs = FLOWRAY_POOL_ATTRS FLOWRAY_DATA_FORMAT "; T:type" FLOWRAY_REAL_FLOATS,
     .shape = pool_shape,
     .gradient = avg_pool_gradient,
     .prepare = prepare_avg_pool},
    {.name = "AvgPoolGrad",
     .inputs = "orig_input_shape:int32, grad:T",
     .outputs = "output:T",
     .attrs = FLOWRAY_POOL_ATTRS FLOWRAY_DATA_FORMAT "; T:type" FLOWRAY_REAL_FLOATS,
     .shape = avg_pool_grad_shape,
     .gradient = avg_pool_grad_gradient,
     .prepare = prepare_avg_pool_grad},
    {.name = "MaxPool",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type=float32{[float16,bfloat16,float32,float64,int32,int64,uint8,int16,int8,uint16,qint8]};"
              " " FLOWRAY_EXPLICIT_POOL_ATTRS "data_format:string=\"NHWC\"{[NHWC,NCHW,NCHW_VECT_C]}",
     .shape = pool_shape,
     .gradient = max_pool_gradient,
     .prepare = prepare_max_pool},
    {.name = "MaxPoolGrad",
     .inputs = "orig_input:T, orig_output:T, grad:T",
     .outputs = "output:T",
     .attrs = FLOWRAY_EXPLICIT_POOL_ATTRS FLOWRAY_DATA_FORMAT "; T:type=float32" FLOWRAY_REAL_NUMBERS,
     .shape = max_pool_grad_shape,
     .gradient = max_pool_grad_gradient,
     .prepare = prepare_max_pool_grad},
    {.name = "MaxPoolGradGrad",
     .inputs = "orig_input:T, orig_output:T, grad:T",
     .outputs = "output:T",
     .attrs = FLOWRAY_POOL_ATTRS FLOWRAY_DATA_FORMAT "; T:type" FLOWRAY_REAL_NUMBERS,
     .shape = max_pool_grad_grad_shape,
     .gradient = max_pool_grad_grad_gradient,
     .prepare = prepare_max_pool_grad_grad},
};

}  // namespace

void register_pool_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kPoolOps) table.add(row);
}

}  // namespace flowray::ops
