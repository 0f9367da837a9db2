// ResizeBicubic with its gradient, and ResizeArea: images of another size, from many pixels each.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/image/image_resizing.h"
#include "ops/image/register.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- shapes

void bicubic_shape(ShapeContext& context) { set_resized_shape(context, {.needs_channels = true}); }

void gradient_shape(ShapeContext& context) { set_resizing_gradient_shape(context, /*needs_pixels=*/false); }

// ---- cubic weights

/// Keys' cubic kernel at 1024 steps between two pixels, as TensorFlow tabulates it: the weights of the nearer
/// and the farther pixel.
class CubicTable {
 public:
  static constexpr int kSteps = 1024;

  explicit CubicTable(double a) {
    for (int i = 0; i <= kSteps; ++i) {
      auto x = static_cast<float>(i * 1.0 / kSteps);
      near_[static_cast<size_t>(i)] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
      x += 1.0f;
      far_[static_cast<size_t>(i)] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
  }
  std::array<float, 4> weights(float share) const {
    const auto at = static_cast<size_t>(std::lrint(share * kSteps));
    return {far_[at], near_[at], near_[kSteps - at], far_[kSteps - at]};
  }

 private:
  std::array<float, kSteps + 1> near_{};
  std::array<float, kSteps + 1> far_{};
};

/// The four pixels of a row or column that make one, and their shares.
struct Cubic {
  std::array<int64_t, 4> at;
  std::array<float, 4> weights;
};

/// The weights for pixel `i` of the `out` that are made of `in`.
Cubic cubic_at(int64_t i, int64_t in, int64_t out, ResizingFlags flags) {
  static const CubicTable legacy(-0.75);
  static const CubicTable keys(-0.5);
  const float scale = resizing_scale(in, out, flags.align_corners);
  const bool half_pixel = flags.half_pixel_centers;
  const auto place = static_cast<float>(i);
  const float from = half_pixel ? (place + 0.5f) * scale - 0.5f : place * scale;
  const auto first = static_cast<int64_t>(std::floor(from));
  Cubic cubic;
  cubic.weights = (half_pixel ? keys : legacy).weights(from - static_cast<float>(first));
  float sum = 0;
  for (size_t k = 0; k < 4; ++k) {
    const int64_t at = first - 1 + static_cast<int64_t>(k);
    cubic.at[k] = std::clamp<int64_t>(at, 0, in - 1);
    if (half_pixel && cubic.at[k] != at) cubic.weights[k] = 0;
    sum += cubic.weights[k];
  }
  // Pixels outside of the image count nothing, the others for them.
  if (half_pixel && std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
    for (float& weight : cubic.weights) weight *= 1.0f / sum;
  }
  return cubic;
}

/// body(first, end) for blocks of columns. What is worked out for each column takes more memory than the
/// pixels of a row that is far longer than high.
template <class Body>
void for_column_blocks(int64_t columns, Body body) {
  constexpr int64_t kBlock = 4096;
  for (int64_t first = 0; first < columns; first += kBlock) body(first, std::min(columns, first + kBlock));
}

struct CubicResizing {
  int64_t batch, in_height, in_width, channels, out_height, out_width;
  ResizingFlags flags;

  CubicResizing(const Shape& in, const Shape& out, const graph::Attrs& attrs)
      : batch(in.dim(0)),
        in_height(in.dim(1)),
        in_width(in.dim(2)),
        channels(in.dim(3)),
        out_height(out.dim(1)),
        out_width(out.dim(2)),
        flags(resizing_flags(attrs)) {
    // Where images have no elements, their other dimensions may be of any size.
    if (in.num_elements() == 0 || out.num_elements() == 0) batch = 0;
  }

  int64_t pixel(int64_t image, int64_t row, int64_t column) const {
    return ((image * in_height + row) * in_width + column) * channels;
  }

  /// visit(offset in the large images, image, row, column) for all their pixels.
  template <class Visit>
  void for_each(Visit visit) const {
    if (batch == 0) return;
    std::vector<Cubic> columns;
    for_column_blocks(out_width, [&](int64_t first, int64_t end) {
      columns.clear();
      for (int64_t x = first; x < end; ++x) columns.push_back(cubic_at(x, in_width, out_width, flags));
      for (int64_t b = 0; b < batch; ++b) {
        for (int64_t y = 0; y < out_height; ++y) {
          const Cubic row = cubic_at(y, in_height, out_height, flags);
          int64_t offset = ((b * out_height + y) * out_width + first) * channels;
          for (const Cubic& column : columns) {
            visit(offset, b, row, column);
            offset += channels;
          }
        }
      }
    });
  }
};

std::unique_ptr<Kernel> prepare_bicubic(PrepareContext& context) {
  const CubicResizing resizing(context.input_shape(0), context.output_shape(0), context.attrs());
  return kernel_for_dtype<ImageTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([resizing](const KernelCall& call) {
      resizing.for_each([&](int64_t offset, int64_t image, const Cubic& row, const Cubic& column) {
        for (int64_t c = 0; c < resizing.channels; ++c) {
          float sum = 0;
          for (size_t y = 0; y < 4; ++y) {
            float of_row = 0;
            for (size_t x = 0; x < 4; ++x) {
              const T value = call.in<T>(0)[resizing.pixel(image, row.at[y], column.at[x]) + c];
              of_row += static_cast<float>(value) * column.weights[x];
            }
            sum += of_row * row.weights[y];
          }
          call.out<float>(0)[offset + c] = sum;
        }
      });
    });
  });
}

std::unique_ptr<Kernel> prepare_bicubic_grad(PrepareContext& context) {
  const CubicResizing resizing(context.output_shape(0), context.input_shape(0), context.attrs());
  return kernel_for_dtype<FloatTypes>(context, context.output_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [resizing, count = context.output_shape(0).num_elements()](const KernelCall& call) {
          T* const out = call.out<T>(0);
          std::fill_n(out, count, T(0));
          resizing.for_each([&](int64_t offset, int64_t image, const Cubic& row, const Cubic& column) {
            for (size_t y = 0; y < 4; ++y) {
              for (size_t x = 0; x < 4; ++x) {
                T* const to = out + resizing.pixel(image, row.at[y], column.at[x]);
                for (int64_t c = 0; c < resizing.channels; ++c)
                  to[c] += static_cast<T>(call.in<float>(0)[offset + c]) * static_cast<T>(row.weights[y]) *
                           static_cast<T>(column.weights[x]);
              }
            }
          });
        });
  });
}

std::vector<Endpoint> bicubic_gradient(GradientContext& g) {
  const DType dtype = base_dtype(g.input(0).dtype());
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return {{}, {}};
  return {g.op("ResizeBicubicGrad", {g.grad(), g.input(0)}, resizing_attrs(g.attrs())), {}};
}

// ---- areas

/// The pixels that one pixel of the other grid covers, and how much of each.
struct Stretch {
  int64_t first;
  std::vector<float> weights;
};

/// The pixels behind pixel `i` of the `out` that are made of `in`.
Stretch stretch_at(int64_t i, int64_t in, int64_t out, bool align_corners) {
  if (in == 1) return {0, {1.0f}};
  const float scale = resizing_scale(in, out, align_corners);
  const float begin = static_cast<float>(i) * scale;
  const float end = static_cast<float>(i + 1) * scale;
  Stretch stretch{static_cast<int64_t>(std::floor(begin)), {}};
  for (int64_t k = stretch.first; k < static_cast<int64_t>(std::ceil(end)); ++k) {
    const auto low = static_cast<float>(k);
    const float from =
        low < begin ? (low + 1 > end ? scale : low + 1 - begin) : (low + 1 > end ? end - low : 1.0f);
    stretch.weights.push_back(from);
  }
  return stretch;
}

template <class T>
std::unique_ptr<Kernel> area_kernel(PrepareContext& context) {
  const Shape in = context.input_shape(0);
  const Shape out = context.output_shape(0);
  const bool align = context.attrs().get<bool>("align_corners");
  const auto scale = [&](int dim) {
    return in.dim(dim) == 1 ? 1.0f : resizing_scale(in.dim(dim), out.dim(dim), align);
  };
  const float share = 1.0f / (scale(1) * scale(2));
  return graph::make_kernel([in, out, share, align](const KernelCall& call) {
    if (out.num_elements() == 0) return;
    const int64_t channels = in.dim(3);
    std::vector<float> sums(static_cast<size_t>(channels));
    std::vector<Stretch> columns;
    const auto put_row = [&](int64_t b, const Stretch& row, float* to) {
      for (const Stretch& column : columns) {
        std::fill(sums.begin(), sums.end(), 0.0f);
        for (size_t y = 0; y < row.weights.size(); ++y) {
          const int64_t at_row = std::min(row.first + static_cast<int64_t>(y), in.dim(1) - 1);
          for (size_t x = 0; x < column.weights.size(); ++x) {
            const int64_t at_column = std::min(column.first + static_cast<int64_t>(x), in.dim(2) - 1);
            const T* const from =
                call.in<T>(0) + ((b * in.dim(1) + at_row) * in.dim(2) + at_column) * channels;
            const float weight = row.weights[y] * column.weights[x] * share;
            for (int64_t c = 0; c < channels; ++c)
              sums[static_cast<size_t>(c)] += static_cast<float>(from[c]) * weight;
          }
        }
        to = std::copy(sums.begin(), sums.end(), to);
      }
    };
    for_column_blocks(out.dim(2), [&](int64_t first, int64_t end) {
      columns.clear();
      for (int64_t x = first; x < end; ++x) columns.push_back(stretch_at(x, in.dim(2), out.dim(2), align));
      for (int64_t b = 0; b < in.dim(0); ++b) {
        for (int64_t y = 0; y < out.dim(1); ++y) {
          put_row(b, stretch_at(y, in.dim(1), out.dim(1), align),
                  call.out<float>(0) + ((b * out.dim(1) + y) * out.dim(2) + first) * channels);
        }
      }
    });
  });
}

std::unique_ptr<Kernel> prepare_area(PrepareContext& context) {
  return kernel_for_dtype<ImageTypes>(context, context.input_dtype(0),
                                      [&]<class T>() { return area_kernel<T>(context); });
}

constexpr graph::OpRow kSmoothResizeOps[] = {
    {.name = "ResizeBicubic",
     .inputs = "images:T, size:int32",
     .outputs = "resized_images:float32",
     .attrs = "T:type{pixels}; align_corners:bool=false; half_pixel_centers:bool=false",
     .shape = bicubic_shape,
     .gradient = bicubic_gradient,
     .prepare = prepare_bicubic},
    {.name = "ResizeBicubicGrad",
     .inputs = "grads:float32, original_image:T",
     .outputs = "output:T",
     .attrs = "T:type{wide_floats}; align_corners:bool=false; half_pixel_centers:bool=false",
     .shape = gradient_shape,
     .prepare = prepare_bicubic_grad},
    {.name = "ResizeArea",
     .inputs = "images:T, size:int32",
     .outputs = "resized_images:float32",
     .attrs = "T:type{pixels}; align_corners:bool=false",
     .shape = bicubic_shape,
     .prepare = prepare_area},
};

}  // namespace

void register_smooth_resize_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSmoothResizeOps) table.add(row);
}

}  // namespace flowray::ops
