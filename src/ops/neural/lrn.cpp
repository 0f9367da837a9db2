// LRN and LRNGrad: each channel of a pixel divided by a power of its neighbours' squares.
// Source: Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks" (NIPS
// 2012), 3.3.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/neural/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void lrn_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() != 4) ShapeContext::fail("in must be 4-dimensional");
  context.set_output(0, context.with_rank(0, 4));
}

void lrn_grad_shape(ShapeContext& context) {
  for (int i = 0; i < 2; ++i) {
    if (context.running() && context.input(i).rank() != 4) ShapeContext::fail("inputs must be 4-dimensional");
  }
  Shape shape = context.with_rank(0, 4);
  for (int i = 1; i < 3; ++i) {
    if (context.running() && !(context.input(i) == shape)) {
      ShapeContext::fail("input_grads, input_image, and out_image should have the same shape");
    }
    shape = merge_shapes(shape, context.with_rank(i, 4));
  }
  context.set_output(0, shape);
}

/// TensorFlow's kernel counts in int.
int64_t radius_of(const graph::Attrs& attrs) {
  const auto radius = attrs.get<int64_t>("depth_radius");
  if (radius >= 0 && radius < INT32_MAX) return radius;
  throw errors::InvalidArgumentError(fmt::format("depth_radius = {} larger than int max", radius));
}

struct Lrn {
  int64_t pixels;
  int64_t depth;
  int64_t radius;
  float bias;
  float alpha;
  float beta;

  Lrn(const Shape& shape, const graph::Attrs& attrs)
      : pixels(shape.num_elements() == 0 ? 0 : shape.num_elements() / shape.dim(3)),
        depth(shape.dim(3)),
        radius(radius_of(attrs)),
        bias(attrs.get<float>("bias")),
        alpha(attrs.get<float>("alpha")),
        beta(attrs.get<float>("beta")) {}

  int64_t first(int64_t channel) const { return std::max<int64_t>(0, channel - radius); }
  int64_t end(int64_t channel) const { return std::min(depth, channel + radius + 1); }

  /// bias + alpha * the sum of the squares around a channel.
  template <class T>
  float norm(const T* in, int64_t channel) const {
    float sum = 0;
    for (int64_t k = first(channel); k < end(channel); ++k) {
      const auto x = static_cast<float>(in[k]);
      sum += x * x;
    }
    return bias + alpha * sum;
  }

  template <class T>
  void forward(const T* in, T* out) const {
    for (int64_t c = 0; c < depth; ++c)
      out[c] = static_cast<T>(static_cast<float>(in[c]) * std::pow(norm(in, c), -beta));
  }

  template <class T>
  void backward(const T* grad, const T* in, const T* out, T* result, std::vector<float>& sums) const {
    std::fill(sums.begin(), sums.end(), 0.f);
    for (int64_t j = 0; j < depth; ++j) {
      const float norm_j = norm(in, j);
      const auto grad_j = static_cast<float>(grad[j]);
      const float slope = -2 * alpha * beta * static_cast<float>(out[j]) / norm_j * grad_j;
      for (int64_t k = first(j); k < end(j); ++k)
        sums[static_cast<size_t>(k)] += slope * static_cast<float>(in[k]);
      sums[static_cast<size_t>(j)] += std::pow(norm_j, -beta) * grad_j;
    }
    for (int64_t k = 0; k < depth; ++k) result[k] = static_cast<T>(sums[static_cast<size_t>(k)]);
  }
};

constexpr int64_t kMinPixelsPerWorker = 256;
using LrnTypes = TypeList<float, float16, bfloat16>;

std::unique_ptr<Kernel> prepare_lrn(PrepareContext& context) {
  return kernel_for_dtype<LrnTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([lrn = Lrn(context.input_shape(0), context.attrs())](const KernelCall& call) {
      call.parallel().for_range(lrn.pixels, kMinPixelsPerWorker, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i)
          lrn.forward(call.in<T>(0) + i * lrn.depth, call.out<T>(0) + i * lrn.depth);
      });
    });
  });
}

std::unique_ptr<Kernel> prepare_lrn_grad(PrepareContext& context) {
  return kernel_for_dtype<LrnTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([lrn = Lrn(context.input_shape(0), context.attrs())](const KernelCall& call) {
      call.parallel().for_range(lrn.pixels, kMinPixelsPerWorker, [&](int64_t begin, int64_t end, int) {
        std::vector<float> sums(static_cast<size_t>(lrn.depth));
        for (int64_t i = begin; i < end; ++i) {
          const int64_t at = i * lrn.depth;
          lrn.backward(call.in<T>(0) + at, call.in<T>(1) + at, call.in<T>(2) + at, call.out<T>(0) + at, sums);
        }
      });
    });
  });
}

std::vector<Endpoint> lrn_gradient(GradientContext& g) {
  graph::Attrs attrs;
  for (const char* name : {"depth_radius", "bias", "alpha", "beta"}) {
    if (const graph::AttrValue* value = g.attrs().find(name)) attrs.set(name, *value);
  }
  return {g.op("LRNGrad", {g.grad(), g.input(0), g.output(0)}, std::move(attrs))};
}

constexpr const char* kLrnAttrs =
    "depth_radius:int=5; bias:float=1.0; alpha:float=1.0; beta:float=0.5; "
    "T:type=float32{layer_floats}";

constexpr graph::OpRow kLrnOps[] = {
    {.name = "LRN",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = kLrnAttrs,
     .shape = lrn_shape,
     .gradient = lrn_gradient,
     .prepare = prepare_lrn},
    {.name = "LRNGrad",
     .inputs = "input_grads:T, input_image:T, output_image:T",
     .outputs = "output:T",
     .attrs = kLrnAttrs,
     .shape = lrn_grad_shape,
     .prepare = prepare_lrn_grad},
};

}  // namespace

void register_lrn_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kLrnOps) table.add(row);
}

}  // namespace flowray::ops
