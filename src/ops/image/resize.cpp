// ResizeBilinear and ResizeNearestNeighbor with their gradients; AdjustContrastv2.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/image/image_resizing.h"
#include "ops/image/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

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

// ---- shapes

void resized_shape(ShapeContext& context) { set_resized_shape(context); }

void nearest_grad_shape(ShapeContext& context) {
  set_resized_shape(context, {.size_error = "shape_t's elements must be positive"});
}

void bilinear_grad_shape(ShapeContext& context) {
  set_resizing_gradient_shape(context, /*needs_pixels=*/true);
}

// ---- where pixels come from

/// One direction of resizing, from `in` pixels to `out`.
struct Direction {
  int64_t in;
  int64_t out;
  ResizingFlags flags;

  float scale() const { return resizing_scale(in, out, flags.align_corners); }

  struct Between {
    int64_t lower;
    int64_t upper;
    float share;  // of the upper one
  };
  Between between(int64_t i) const {
    const auto x = static_cast<float>(i);
    const float at = flags.half_pixel_centers ? (x + 0.5f) * scale() - 0.5f : x * scale();
    const float below = std::floor(at);
    const int64_t upper = std::min(static_cast<int64_t>(std::ceil(at)), in - 1);
    return {std::min(std::max(static_cast<int64_t>(below), int64_t{0}), upper), std::max<int64_t>(upper, 0),
            at - below};
  }

  int64_t nearest(int64_t i) const {
    const auto x = static_cast<float>(i);
    const float at = flags.half_pixel_centers ? (x + 0.5f) * scale() : x * scale();
    const auto rounded = static_cast<int64_t>(flags.align_corners ? std::round(at) : std::floor(at));
    return std::clamp<int64_t>(rounded, 0, in - 1);
  }
};

struct Resizing {
  int64_t batch;
  int64_t channels;
  Direction rows;
  Direction columns;

  /// From images of shape `in` to images of shape `out`.
  Resizing(const Shape& in, const Shape& out, const graph::Attrs& attrs)
      : batch(in.dim(0)), channels(in.dim(3)) {
    const ResizingFlags flags = resizing_flags(attrs);
    rows = {in.dim(1), out.dim(1), flags};
    columns = {in.dim(2), out.dim(2), flags};
    // Where images have no elements, their other dimensions may be of any size.
    if (in.num_elements() == 0 || out.num_elements() == 0) batch = 0;
  }

  int64_t in_pixel(int64_t image, int64_t row, int64_t column) const {
    return ((image * rows.in + row) * columns.in + column) * channels;
  }

  /// visit(image, row, column) for all pixels of the large images, in order, and the offset of each.
  template <class Visit>
  void for_each(Visit visit) const {
    int64_t offset = 0;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t y = 0; y < rows.out; ++y) {
        for (int64_t x = 0; x < columns.out; ++x, offset += channels) visit(b, y, x, offset);
      }
    }
  }
};

// ---- kernels

template <class T>
std::unique_ptr<Kernel> bilinear_kernel(const Resizing& resizing) {
  return graph::make_kernel([resizing](const KernelCall& call) {
    const T* const in = call.in<T>(0);
    float* const out = call.out<float>(0);
    resizing.for_each([&](int64_t b, int64_t y, int64_t x, int64_t offset) {
      const Direction::Between row = resizing.rows.between(y);
      const Direction::Between column = resizing.columns.between(x);
      const T* const top_left = in + resizing.in_pixel(b, row.lower, column.lower);
      const T* const top_right = in + resizing.in_pixel(b, row.lower, column.upper);
      const T* const bottom_left = in + resizing.in_pixel(b, row.upper, column.lower);
      const T* const bottom_right = in + resizing.in_pixel(b, row.upper, column.upper);
      const auto mixed = [](float a, float z, float share) { return a + (z - a) * share; };
      for (int64_t c = 0; c < resizing.channels; ++c) {
        const float top =
            mixed(static_cast<float>(top_left[c]), static_cast<float>(top_right[c]), column.share);
        const float bottom =
            mixed(static_cast<float>(bottom_left[c]), static_cast<float>(bottom_right[c]), column.share);
        out[offset + c] = mixed(top, bottom, row.share);
      }
    });
  });
}

std::unique_ptr<Kernel> prepare_bilinear(PrepareContext& context) {
  const Resizing resizing(context.input_shape(0), context.output_shape(0), context.attrs());
  return kernel_for_dtype<ImageTypes>(context, context.input_dtype(0),
                                      [&]<class T>() { return bilinear_kernel<T>(resizing); });
}

template <class T>
std::unique_ptr<Kernel> bilinear_grad_kernel(const Resizing& resizing, int64_t count) {
  return graph::make_kernel([resizing, count](const KernelCall& call) {
    const float* const grad = call.in<float>(0);
    T* const out = call.out<T>(0);
    std::fill_n(out, count, T(0));
    resizing.for_each([&](int64_t b, int64_t y, int64_t x, int64_t offset) {
      const Direction::Between row = resizing.rows.between(y);
      const Direction::Between column = resizing.columns.between(x);
      const auto add = [&](int64_t at_row, float of_row, int64_t at_column, float of_column) {
        T* const to = out + resizing.in_pixel(b, at_row, at_column);
        for (int64_t c = 0; c < resizing.channels; ++c)
          to[c] = wrapping_add(to[c], static_cast<T>(grad[offset + c] * of_row * of_column));
      };
      add(row.lower, 1 - row.share, column.lower, 1 - column.share);
      add(row.lower, 1 - row.share, column.upper, column.share);
      add(row.upper, row.share, column.lower, 1 - column.share);
      add(row.upper, row.share, column.upper, column.share);
    });
  });
}

std::unique_ptr<Kernel> prepare_bilinear_grad(PrepareContext& context) {
  const Resizing resizing(context.output_shape(0), context.input_shape(0), context.attrs());
  const int64_t count = context.output_shape(0).num_elements();
  return kernel_for_dtype<RealFloatTypes>(
      context, context.output_dtype(0), [&]<class T>() { return bilinear_grad_kernel<T>(resizing, count); });
}

std::unique_ptr<Kernel> prepare_nearest(PrepareContext& context) {
  const Resizing resizing(context.input_shape(0), context.output_shape(0), context.attrs());
  return kernel_for_dtype<ImageTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([resizing](const KernelCall& call) {
      resizing.for_each([&](int64_t b, int64_t y, int64_t x, int64_t offset) {
        const int64_t from = resizing.in_pixel(b, resizing.rows.nearest(y), resizing.columns.nearest(x));
        std::copy_n(call.in<T>(0) + from, resizing.channels, call.out<T>(0) + offset);
      });
    });
  });
}

std::unique_ptr<Kernel> prepare_nearest_grad(PrepareContext& context) {
  const Resizing resizing(context.output_shape(0), context.input_shape(0), context.attrs());
  return kernel_for_dtype<ImageTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [resizing, count = context.output_shape(0).num_elements()](const KernelCall& call) {
          T* const out = call.out<T>(0);
          std::fill_n(out, count, T(0));
          resizing.for_each([&](int64_t b, int64_t y, int64_t x, int64_t offset) {
            T* const to = out + resizing.in_pixel(b, resizing.rows.nearest(y), resizing.columns.nearest(x));
            for (int64_t c = 0; c < resizing.channels; ++c)
              to[c] = wrapping_add(to[c], call.in<T>(0)[offset + c]);
          });
        });
  });
}

// ---- gradients

std::vector<Endpoint> bilinear_gradient(GradientContext& g) {
  return {g.op("ResizeBilinearGrad", {g.grad(), g.input(0)}, resizing_attrs(g.attrs())), {}};
}

std::vector<Endpoint> nearest_gradient(GradientContext& g) {
  const Shape& image = g.input(0).shape();
  if (image.has_rank() && image.dim(1) >= 0 && image.dim(2) >= 0) {
    const graph::NameScope scope(g.graph(), "ResizeNearestNeighborGrad");
    const Endpoint size = python_integers(g, {image.dim(1), image.dim(2)}, DType::kInt32, "size");
    return {g.op("ResizeNearestNeighborGrad", {g.grad(), size}, resizing_attrs(g.attrs()), scope.path()), {}};
  }
  constexpr int32_t kBegin = 1;
  constexpr int32_t kEnd = 3;
  const Endpoint size = python_slice(g, python_shape(g, g.input(0)), &kBegin, &kEnd);
  return {g.op("ResizeNearestNeighborGrad", {g.grad(), size}, resizing_attrs(g.attrs())), {}};
}

// ---- AdjustContrastv2

void contrast_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() < 3) {
    ShapeContext::fail("input must be at least 3-D, got shape" + context.input(0).to_string());
  }
  if (context.running() && context.input(1).rank() != 0) {
    ShapeContext::fail("contrast_factor must be scalar: " + context.input(1).to_string());
  }
  context.with_rank(1, 0);
  context.set_output(0, context.with_rank_at_least(0, 3));
}

/// The distances of pixels from their channel's mean, times a factor.
std::unique_ptr<Kernel> prepare_contrast(PrepareContext& context) {
  const Shape& shape = context.input_shape(0);
  const int64_t channels = shape.dim(-1);
  const bool is_empty = shape.num_elements() == 0;  // then what is left may multiply to anything
  const int64_t pixels = is_empty ? 0 : shape.dim(-2) * shape.dim(-3);
  const int64_t images = is_empty ? 0 : shape.num_elements() / (pixels * channels);
  return kernel_for_dtype<TypeList<float, float16>>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([channels, pixels, images](const KernelCall& call) {
      const float factor = *call.in<float>(1);
      for (int64_t i = 0; i < images * channels; ++i) {
        const int64_t first = i / channels * pixels * channels + i % channels;
        double sum = 0;
        for (int64_t p = 0; p < pixels; ++p) sum += static_cast<float>(call.in<T>(0)[first + p * channels]);
        const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
        for (int64_t p = 0; p < pixels; ++p) {
          const int64_t at = first + p * channels;
          call.out<T>(0)[at] = static_cast<T>((static_cast<float>(call.in<T>(0)[at]) - mean) * factor + mean);
        }
      }
    });
  });
}

constexpr graph::OpRow kResizeOps[] = {
    {.name = "ResizeBilinear",
     .inputs = "images:T, size:int32",
     .outputs = "resized_images:float32",
     .attrs = "T:type{pixels}; align_corners:bool=false; half_pixel_centers:bool=false",
     .shape = resized_shape,
     .gradient = bilinear_gradient,
     .prepare = prepare_bilinear},
    {.name = "ResizeBilinearGrad",
     .inputs = "grads:float32, original_image:T",
     .outputs = "output:T",
     .attrs = "T:type{[float32,bfloat16,float16,float64]}; align_corners:bool=false; "
              "half_pixel_centers:bool=false",
     .shape = bilinear_grad_shape,
     .not_differentiable = true,
     .prepare = prepare_bilinear_grad},
    {.name = "ResizeNearestNeighbor",
     .inputs = "images:T, size:int32",
     .outputs = "resized_images:T",
     .attrs = "T:type{pixels}; align_corners:bool=false; half_pixel_centers:bool=false",
     .shape = resized_shape,
     .gradient = nearest_gradient,
     .prepare = prepare_nearest},
    {.name = "ResizeNearestNeighborGrad",
     .inputs = "grads:T, size:int32",
     .outputs = "output:T",
     .attrs = "T:type{[uint8,int8,int32,float16,float32,float64,bfloat16]}; align_corners:bool=false; "
              "half_pixel_centers:bool=false",
     .shape = nearest_grad_shape,
     .prepare = prepare_nearest_grad},
    {.name = "AdjustContrastv2",
     .inputs = "images:T, contrast_factor:float32",
     .outputs = "output:T",
     .attrs = "T:type=float32{narrow_floats}",
     .shape = contrast_shape,
     .prepare = prepare_contrast},
};

}  // namespace

void register_resize_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kResizeOps) table.add(row);
}

}  // namespace flowray::ops
