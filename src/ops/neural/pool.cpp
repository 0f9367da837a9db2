// Pooling: AvgPool, MaxPool and their gradients.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/neural/pool_attributes.h"
#include "ops/neural/register.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void check_running_rank(const Shape& in) {
  if (in.rank() != 4) {
    ShapeContext::fail(fmt::format("tensor_in_shape must have 2 spatial dimensions. {} 0", in.rank()));
  }
}

void pool_shape(ShapeContext& context) {
  const std::optional<Attrs> attrs = attrs_of(context, 1);
  if (!attrs.has_value()) return context.set_output(0, Shape::of_rank(4));
  const PoolAttrs pool(*attrs);
  if (context.running()) {
    check_running_rank(context.input(0));
    check_running(pool, *attrs, !context.attrs().contains("ksize"));
  }
  context.set_output(0, pooled_shape(pool, context.with_rank(0, 4), context.running()));
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
  const std::optional<Attrs> attrs = attrs_of(context, 3);
  if (context.running()) {
    const PoolAttrs pool(*attrs);
    check_running(pool, *attrs, !context.attrs().contains("ksize"));
    const Shape pooled = pooled_shape(pool, in, true);
    check_running_gradient("orig_output", context.input(1), pooled);
    check_running_gradient("grad", context.input(2), pooled);
  }
  context.set_output(0, in);
}

/// The gradient of MaxPoolGrad: what was routed back is picked up again.
void max_pool_grad_grad_shape(ShapeContext& context) {
  const std::optional<Attrs> attrs = attrs_of(context, 3);
  check_running_ranks(context, "out_grad_backprop");
  const Shape in = context.with_rank(0, 4);
  const Shape out = context.with_rank(1, 4);
  if (context.running()) {
    const PoolAttrs pool(*attrs);
    check_running(pool, *attrs, !context.attrs().contains("ksize"));
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

/// Results are told of in rows of pixels.
graph::PieceRule pieces_in_rows(const PrepareContext& context, const Pool2DShape& shape) {
  constexpr int64_t kElementsPerWorker = 20'000;
  const int64_t elements = shape.batch * shape.in_height * shape.in_width * shape.channels;
  return {
      .elements = context.output_shape(0).dim(2) * shape.channels,
      .is_shared = shape.batch >= context.workers() && elements >= context.workers() * kElementsPerWorker};
}

std::unique_ptr<Kernel> prepare_avg_pool(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.output_shape(0), 1);
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [pool = AveragePool2D<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(0), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

std::unique_ptr<Kernel> prepare_avg_pool_grad(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.output_shape(0), context.input_shape(1), 2);
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(1), [&]<class T>() {
    return graph::make_kernel(
        [pool = AveragePool2DGradient<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(1), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

/// Images without pixels may still have windows, which see nothing but explicit paddings.
std::unique_ptr<Kernel> prepare_max_of_padding(const PrepareContext& context) {
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([count = context.output_shape(0).num_elements()](const KernelCall& call) {
      std::fill_n(call.out<T>(0), count, std::numeric_limits<T>::lowest());
    });
  });
}

std::unique_ptr<Kernel> prepare_max_pool(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.output_shape(0), 1);
  if (context.input_shape(0).num_elements() == 0) return prepare_max_of_padding(context);
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [pool = MaxPool2D<T>(shape)](const KernelCall& call, const graph::PieceSink* sink) {
          pool.run(call.in<T>(0), call.out<T>(0), call.parallel(), sink);
        },
        {.pieces = pieces_in_rows(context, shape)});
  });
}

std::unique_ptr<Kernel> prepare_max_pool_grad(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.input_shape(1), 3);
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
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.input_shape(1), 3);
  return kernel_for_dtype<RoutedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([shape](const KernelCall& call) {
      gather_at_maxima(shape, call.in<T>(0), call.in<T>(1), call.in<T>(2), call.out<T>(0));
    });
  });
}

// ---- gradients

std::vector<Endpoint> avg_pool_gradient(GradientContext& g) {
  const Endpoint shape = python_shape(g, g.input(0));
  return {g.op("AvgPoolGrad", {shape, g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> avg_pool_grad_gradient(GradientContext& g) {
  const Endpoint of_shape = g.op("StopGradient", {g.input(0)});
  return {of_shape, g.op("AvgPool", {g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> max_pool_gradient(GradientContext& g) {
  Attrs attrs = pool_attrs(g);
  attrs.set("explicit_paddings", *g.attrs().find("explicit_paddings"));
  return {g.op("MaxPoolGrad", {g.input(0), g.output(0), g.grad()}, std::move(attrs))};
}

std::vector<Endpoint> max_pool_v2_gradient(GradientContext& g) {
  return {g.op("MaxPoolGradV2", {g.input(0), g.output(0), g.grad(), g.input(1), g.input(2)}, pool_attrs(g)),
          {},
          {}};
}

std::vector<Endpoint> max_pool_v2_second_gradient(GradientContext& g) {
  const Endpoint of_input = python_zeros_like(g, g.input(0));
  const Endpoint of_output = python_zeros_like(g, g.input(1));
  const Endpoint of_gradient =
      g.op("MaxPoolGradGradV2", {g.input(0), g.input(1), g.grad(), g.input(3), g.input(4)}, pool_attrs(g));
  return {of_input, of_output, of_gradient, {}, {}};
}

std::vector<Endpoint> max_pool_grad_gradient(GradientContext& g) {
  return max_pool_second_gradient(g, "MaxPoolGradGrad");
}
std::vector<Endpoint> max_pool_grad_grad_gradient(GradientContext& g) {
  return max_pool_second_gradient(g, "MaxPoolGrad");
}

constexpr graph::OpRow kPoolOps[] = {
    {.name = "AvgPool",
     .inputs = "value:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=4; strides:list(int)>=4; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; T:type{floats}",
     .shape = pool_shape,
     .gradient = avg_pool_gradient,
     .prepare = prepare_avg_pool},
    {.name = "AvgPoolGrad",
     .inputs = "orig_input_shape:int32, grad:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=4; strides:list(int)>=4; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; T:type{floats}",
     .shape = avg_pool_grad_shape,
     .gradient = avg_pool_grad_gradient,
     .prepare = prepare_avg_pool_grad},
    {.name = "MaxPool",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type=float32{[float16,bfloat16,float32,float64,int32,int64,uint8,int16,int8,uint16,qint8]}; "
              "ksize:list(int)>=4; strides:list(int)>=4; padding:string{[SAME,VALID,EXPLICIT]}; "
              "explicit_paddings:list(int)=[]; data_format:string=\"NHWC\"{[NHWC,NCHW,NCHW_VECT_C]}",
     .shape = pool_shape,
     .gradient = max_pool_gradient,
     .prepare = prepare_max_pool},
    {.name = "MaxPoolGrad",
     .inputs = "orig_input:T, orig_output:T, grad:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=4; strides:list(int)>=4; padding:string{[SAME,VALID,EXPLICIT]}; "
              "explicit_paddings:list(int)=[]; data_format:string=\"NHWC\"{[NHWC,NCHW]}; "
              "T:type=float32{real_numbers}",
     .shape = max_pool_grad_shape,
     .gradient = max_pool_grad_gradient,
     .prepare = prepare_max_pool_grad},
    {.name = "MaxPoolGradGrad",
     .inputs = "orig_input:T, orig_output:T, grad:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=4; strides:list(int)>=4; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NHWC\"{[NHWC,NCHW]}; T:type{real_numbers}",
     .shape = max_pool_grad_grad_shape,
     .gradient = max_pool_grad_grad_gradient,
     .prepare = prepare_max_pool_grad_grad},
    {.name = "MaxPoolV2",
     .inputs = "input:T, ksize:int32, strides:int32",
     .outputs = "output:T",
     .attrs = "T:type=float32{[float16,bfloat16,float32,float64,int32,int64,uint8,int16,int8,uint16,qint8]}; "
              "padding:string{[SAME,VALID]}; data_format:string=\"NHWC\"{[NHWC,NCHW,NCHW_VECT_C]}",
     .shape = pool_shape,
     .gradient = max_pool_v2_gradient,
     .prepare = prepare_max_pool},
    {.name = "MaxPoolGradV2",
     .inputs = "orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32",
     .outputs = "output:T",
     .attrs = "padding:string{[SAME,VALID]}; data_format:string=\"NHWC\"{[NHWC,NCHW]}; "
              "T:type=float32{real_numbers}",
     .shape = max_pool_grad_shape,
     .gradient = max_pool_v2_second_gradient,
     .prepare = prepare_max_pool_grad},
    {.name = "MaxPoolGradGradV2",
     .inputs = "orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32",
     .outputs = "output:T",
     .attrs = "padding:string{[SAME,VALID]}; data_format:string=\"NHWC\"{[NHWC,NCHW]}; T:type{real_numbers}",
     .shape = max_pool_grad_grad_shape,
     .prepare = prepare_max_pool_grad_grad},
};

}  // namespace

void register_pool_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kPoolOps) table.add(row);
}

}  // namespace flowray::ops
