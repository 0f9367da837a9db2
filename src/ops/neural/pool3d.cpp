// AvgPool3D, MaxPool3D and their gradients.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/neural/pool_attributes.h"
#include "ops/neural/register.h"
#include "ops/neural/volume_windows.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- shapes

void check_running(const ShapeContext& context, const VolumeAttrs& pool) {
  if (!context.running()) return;
  for (const WindowDim& dim : pool.dims) {
    if (dim.window <= 0) ShapeContext::fail("Sliding window ksize field must have non-negative dimensions");
  }
}

Shape pooled_shape(const VolumeAttrs& pool, const Shape& in, bool running) {
  return windows_shape(pool, in, in.dim(pool.channels()), running);
}

void pool_shape_3d(ShapeContext& context) {
  const VolumeAttrs pool(context.attrs());
  if (context.running() && context.input(0).rank() != 5)
    ShapeContext::fail("tensor_in must be 5-dimensional");
  check_running(context, pool);
  context.set_output(0, pooled_shape(pool, context.with_rank(0, 5), context.running()));
}

/// Volumes, what was made of them, and gradients of what input `pooled` is like.
template <int kPooled>
void max_pool_grad_shape_3d(ShapeContext& context) {
  const char* const names[] = {"tensor_in", "tensor_out",
                               kPooled == 1 ? "out_backprop" : "out_grad_backprop"};
  for (int i = 0; i < 3 && context.running(); ++i) {
    if (context.input(i).rank() != 5) ShapeContext::fail(fmt::format("{} must be 5-dimensional", names[i]));
  }
  const Shape in = context.with_rank(0, 5);
  const Shape out = context.with_rank(1, 5);
  const VolumeAttrs pool(context.attrs());
  check_running(context, pool);
  if (context.running()) {
    const Shape pooled = pooled_shape(pool, in, true);
    if (out != pooled) {
      ShapeContext::fail(fmt::format("Expected orig_output shape to be {}, but got {}", pooled.to_string(),
                                     out.to_string()));
    }
    const Shape& expected = kPooled == 1 ? pooled : in;
    if (context.input(2) != expected) {
      ShapeContext::fail(fmt::format("Expected grad shape to be {}, but got {}", expected.to_string(),
                                     context.input(2).to_string()));
    }
  }
  context.set_output(0, kPooled == 1 ? in : out);
}

void avg_pool_grad_shape_3d(ShapeContext& context) {
  if (context.running()) {
    if (context.input(0).rank() != 1 || context.input(0).dim(0) != 5) {
      ShapeContext::fail("tensor_in must be 1-dimensional and 5 elements");
    }
    if (context.input(1).rank() != 5) ShapeContext::fail("out_backprop must be 5-dimensional");
    for (const int64_t size : context.integers(0)) {
      if (size < 0) ShapeContext::fail(fmt::format("Expected a non-negative size, got {}", size));
    }
  }
  Shape in = context.value_as_shape(0);
  if (!in.has_rank()) in = Shape::of_rank(5);
  if (in.rank() != 5) ShapeContext::fail(fmt::format("Shape must be rank 5 but is rank {}", in.rank()));
  const VolumeAttrs pool(context.attrs());
  check_running(context, pool);
  if (context.running()) {
    const Shape& gradient = context.input(1);
    for (const auto& [dim, which] : {std::pair{4, "last"}, {0, "first"}}) {
      if (in.dim(dim) == gradient.dim(dim)) continue;
      ShapeContext::fail(
          fmt::format("Expected {} dimension of tensor_in_shape and out_backprop to match, got {} and {}",
                      which, in.dim(dim), gradient.dim(dim)));
    }
    const Shape expected = pooled_shape(pool, in, true);
    if (context.input(1) != expected) {
      ShapeContext::fail(fmt::format("Expected grad shape to be {}, but got {}", expected.to_string(),
                                     context.input(1).to_string()));
    }
  }
  context.set_output(0, in);
}

// ---- kernels

struct Pool {
  VolumeWindows windows;
  int64_t channels;
};

Pool pool_of(const PrepareContext& context, const Shape& in, const Shape& out) {
  const VolumeAttrs pool(context.attrs());
  if (pool.channels_first) {
    throw errors::InvalidArgumentError("Default Pooling3DOp only supports NDHWC on device type CPU");
  }
  if (pool.moves_in_batch)
    throw errors::UnimplementedError("Pooling is not yet supported on the batch dimension.");
  if (pool.moves_in_channels)
    throw errors::UnimplementedError("Pooling is not yet supported on the depth dimension.");
  Pool result{VolumeWindows(pool, in, out), in.dim(4)};
  // Where an array has no elements, its other dimensions may be of any size.
  if (in.num_elements() == 0) result.windows.in = {};
  if (out.num_elements() == 0) result.windows.out = {};
  return result;
}

int64_t places_per_worker(const Pool& pool) {
  constexpr int64_t kElementsPerWorker = 20'000;
  int64_t elements = pool.channels;  // under a window; at most those of a volume
  for (size_t i = 0; i < 3; ++i) elements *= std::min(pool.windows.window[i], pool.windows.in[i]);
  return kElementsPerWorker / std::max<int64_t>(1, elements) + 1;
}

/// Runs give(place of the output) for all places, on all threads.
template <class Give>
void for_places(const Pool& pool, Parallel& parallel, const Give& give) {
  parallel.for_range(pool.windows.out_places(), places_per_worker(pool),
                     [&](int64_t begin, int64_t end, int /*worker*/) {
                       for (int64_t place = begin; place < end; ++place) give(place);
                     });
}

/// Runs add(place of the output) so that two of one volume do not run at once.
template <class Add>
void for_volumes(const VolumeWindows& windows, Parallel& parallel, const Add& add) {
  const int64_t places = windows.out[0] * windows.out[1] * windows.out[2];
  parallel.for_range(windows.batch, 1, [&](int64_t begin, int64_t end, int /*worker*/) {
    for (int64_t place = begin * places; place < end * places; ++place) add(place);
  });
}

std::unique_ptr<Kernel> prepare_avg_pool_3d(PrepareContext& context) {
  const Pool pool = pool_of(context, context.input_shape(0), context.output_shape(0));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([pool](const KernelCall& call) {
      const T* in = call.in<T>(0);
      const int64_t channels = pool.channels;
      for_places(pool, call.parallel(), [&](int64_t place) {
        T* out = call.out<T>(0) + place * channels;
        std::fill_n(out, channels, T(0));
        int64_t count = 0;
        pool.windows.for_taps(place, [&](int64_t /*tap*/, int64_t at) {
          const T* from = in + at * channels;
          for (int64_t c = 0; c < channels; ++c) out[c] += from[c];
          ++count;
        });
        for (int64_t c = 0; c < channels; ++c) out[c] /= static_cast<T>(count);
      });
    });
  });
}

std::unique_ptr<Kernel> prepare_avg_pool_grad_3d(PrepareContext& context) {
  const Pool pool = pool_of(context, context.output_shape(0), context.input_shape(1));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(1), [&]<class T>() {
    return graph::make_kernel([pool](const KernelCall& call) {
      const int64_t channels = pool.channels;
      T* out = call.out<T>(0);
      std::fill_n(out, pool.windows.in_places() * channels, T(0));
      for_volumes(pool.windows, call.parallel(), [&](int64_t place) {
        const T* gradient = call.in<T>(1) + place * channels;
        int64_t count = 0;
        pool.windows.for_taps(place, [&](int64_t, int64_t) { ++count; });
        pool.windows.for_taps(place, [&](int64_t /*tap*/, int64_t at) {
          T* to = out + at * channels;
          for (int64_t c = 0; c < channels; ++c) to[c] += gradient[c] / static_cast<T>(count);
        });
      });
    });
  });
}

std::unique_ptr<Kernel> prepare_max_pool_3d(PrepareContext& context) {
  const Pool pool = pool_of(context, context.input_shape(0), context.output_shape(0));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([pool](const KernelCall& call) {
      const T* in = call.in<T>(0);
      const int64_t channels = pool.channels;
      for_places(pool, call.parallel(), [&](int64_t place) {
        T* out = call.out<T>(0) + place * channels;
        std::fill_n(out, channels, std::numeric_limits<T>::lowest());
        pool.windows.for_taps(place, [&](int64_t /*tap*/, int64_t at) {
          const T* from = in + at * channels;
          for (int64_t c = 0; c < channels; ++c) out[c] = out[c] < from[c] ? from[c] : out[c];
        });
      });
    });
  });
}

/// visit(place of the input, place of the output) at the maxima of each window and channel: at all that are
/// equal, or at the first.
template <bool kAll, class T, class Visit>
void at_maxima(const Pool& pool, const T* in, const T* out, int64_t place, const Visit& visit) {
  for (int64_t c = 0; c < pool.channels; ++c) {
    bool is_found = false;
    pool.windows.for_taps(place, [&](int64_t /*tap*/, int64_t at) {
      if ((!kAll && is_found) || in[at * pool.channels + c] != out[place * pool.channels + c]) return;
      is_found = true;
      visit(at * pool.channels + c, place * pool.channels + c);
    });
  }
}

std::unique_ptr<Kernel> prepare_max_pool_grad_3d(PrepareContext& context) {
  const Pool pool = pool_of(context, context.input_shape(0), context.input_shape(1));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([pool](const KernelCall& call) {
      T* result = call.out<T>(0);
      const T* gradient = call.in<T>(2);
      std::fill_n(result, pool.windows.in_places() * pool.channels, T(0));
      for_volumes(pool.windows, call.parallel(), [&](int64_t place) {
        at_maxima<true>(pool, call.in<T>(0), call.in<T>(1), place,
                        [&](int64_t to, int64_t from) { result[to] += gradient[from]; });
      });
    });
  });
}

std::unique_ptr<Kernel> prepare_max_pool_grad_grad_3d(PrepareContext& context) {
  if (context.input_shape(0).num_elements() == 0) {
    throw errors::InvalidArgumentError(
        fmt::format("received empty tensor tensor_in: Tensor<type: {} shape: {} values: >",
                    dtype_kernel_name(context.input_dtype(0)), context.input_shape(0).to_string()));
  }
  const Pool pool = pool_of(context, context.input_shape(0), context.input_shape(1));
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([pool](const KernelCall& call) {
      T* result = call.out<T>(0);
      const T* gradient = call.in<T>(2);
      std::fill_n(result, pool.windows.out_places() * pool.channels, T(0));
      for_volumes(pool.windows, call.parallel(), [&](int64_t place) {
        at_maxima<false>(pool, call.in<T>(0), call.in<T>(1), place,
                         [&](int64_t from, int64_t to) { result[to] = gradient[from]; });
      });
    });
  });
}

// ---- gradients

std::vector<Endpoint> avg_pool_gradient_3d(GradientContext& g) {
  const Endpoint shape = python_shape(g, g.input(0));
  return {g.op("AvgPool3DGrad", {shape, g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> avg_pool_grad_gradient_3d(GradientContext& g) {
  const Endpoint of_shape = g.op("StopGradient", {g.input(0)});
  return {of_shape, g.op("AvgPool3D", {g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> max_pool_gradient_3d(GradientContext& g) {
  return {g.op("MaxPool3DGrad", {g.input(0), g.output(0), g.grad()}, pool_attrs(g))};
}

std::vector<Endpoint> max_pool_grad_gradient_3d(GradientContext& g) {
  return max_pool_second_gradient(g, "MaxPool3DGradGrad");
}
std::vector<Endpoint> max_pool_grad_grad_gradient_3d(GradientContext& g) {
  return max_pool_second_gradient(g, "MaxPool3DGrad");
}

constexpr graph::OpRow kPool3DOps[] = {
    {.name = "AvgPool3D",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=5; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; T:type{floats}",
     .shape = pool_shape_3d,
     .gradient = avg_pool_gradient_3d,
     .prepare = prepare_avg_pool_3d},
    {.name = "AvgPool3DGrad",
     .inputs = "orig_input_shape:int32, grad:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=5; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; T:type{floats}",
     .shape = avg_pool_grad_shape_3d,
     .gradient = avg_pool_grad_gradient_3d,
     .prepare = prepare_avg_pool_grad_3d},
    {.name = "MaxPool3D",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=5; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; T:type{layer_floats}",
     .shape = pool_shape_3d,
     .gradient = max_pool_gradient_3d,
     .prepare = prepare_max_pool_3d},
    {.name = "MaxPool3DGrad",
     .inputs = "orig_input:TInput, orig_output:TInput, grad:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=5; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; T:type=float32{layer_floats}; "
              "TInput:type=float32{layer_floats}",
     .shape = max_pool_grad_shape_3d<1>,
     .gradient = max_pool_grad_gradient_3d,
     .prepare = prepare_max_pool_grad_3d},
    {.name = "MaxPool3DGradGrad",
     .inputs = "orig_input:T, orig_output:T, grad:T",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=5; strides:list(int)>=5; padding:string{[SAME,VALID]}; "
              "data_format:string=\"NDHWC\"{[NDHWC,NCDHW]}; T:type{real_numbers}",
     .shape = max_pool_grad_shape_3d<0>,
     .gradient = max_pool_grad_grad_gradient_3d,
     .prepare = prepare_max_pool_grad_grad_3d},
};

}  // namespace

void register_pool3d_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kPool3DOps) table.add(row);
}

}  // namespace flowray::ops
