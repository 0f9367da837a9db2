// Dilation2D and its gradients: of each window of an image the largest sum of a pixel and the filter's number
// there.

#include "core/checked_size.h"
#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/neural/register.h"
#include "ops/neural/window_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

/// The attribute `strides` or `rates`. `name`: as errors call it, one of them.
const std::vector<int64_t>& four_numbers(const graph::Attrs& attrs, const char* attr, std::string_view name) {
  const auto& all = attrs.get<std::vector<int64_t>>(attr);
  if (all.size() != 4) {
    ShapeContext::fail(fmt::format("Dilation2D requires the {} attribute to contain 4 values, but got: {}",
                                   name, all.size()));
  }
  for (const int64_t value : all) (void)checked_int32(fmt::format("Attr {}", attr), value);
  return all;
}

void check_across_space(const std::vector<int64_t>& numbers, const char* name) {
  if (numbers[0] == 1 && numbers[3] == 1) return;
  throw errors::UnimplementedError(fmt::format("{} is only supported across spatial dimensions.", name));
}

/// Height and width of the window.
struct DilationWindows {
  std::array<WindowDim, 2> dims;
  Padding padding;

  DilationWindows(const graph::Attrs& attrs, const Shape& filter) : padding(padding_of(attrs)) {
    const auto& strides = four_numbers(attrs, "strides", "stride");
    const auto& rates = four_numbers(attrs, "rates", "rates");
    for (size_t i = 0; i < 2; ++i) {
      const int64_t window = filter.has_rank() ? filter.dim(static_cast<int>(i)) : Shape::kUnknownDim;
      dims.at(i) = {.window = window, .stride = strides[i + 1], .dilation = rates[i + 1]};
    }
  }

  /// A window that does not fit has no place, while building as in a step.
  WindowPlaces places(size_t i, int64_t in) const {
    const WindowDim& dim = dims.at(i);
    if (in < 0 || dim.window < 0) return {Shape::kUnknownDim, 0};
    if (dim.stride <= 0) ShapeContext::fail(fmt::format("Stride must be > 0, but got {}", dim.stride));
    return places_of(in, dim, padding, /*running=*/true);
  }
};

void check_running_dilation(const ShapeContext& context) {
  check_across_space(four_numbers(context.attrs(), "strides", "stride"), "Stride");
  check_across_space(four_numbers(context.attrs(), "rates", "rates"), "Rate");
  const Shape& input = context.input(0);
  const Shape& filter = context.input(1);
  if (input.rank() != 4) ShapeContext::fail("input must be 4-dimensional" + input.to_string());
  if (filter.rank() != 3) ShapeContext::fail("filter must be 3-dimensional: " + filter.to_string());
  if (input.dim(3) != filter.dim(2)) {
    ShapeContext::fail(
        fmt::format("input and filter must have the same depth: {} vs {}", input.dim(3), filter.dim(2)));
  }
}

Shape dilated(const ShapeContext& context, const Shape& input, const Shape& filter) {
  const DilationWindows windows(context.attrs(), filter);
  const int64_t depth = ShapeContext::merge_dim(input.dim(3), filter.dim(2));
  return {input.dim(0), windows.places(0, input.dim(1)).count, windows.places(1, input.dim(2)).count, depth};
}

void dilation_shape(ShapeContext& context) {
  if (context.running()) check_running_dilation(context);
  context.set_output(0, dilated(context, context.with_rank(0, 4), context.with_rank(1, 3)));
}

/// Output 0 is like input `like`.
template <int like>
void dilation_gradient_shape(ShapeContext& context) {
  context.set_output(0, context.input(like));
  if (!context.running()) return;
  check_running_dilation(context);
  const Shape& grad = context.input(2);
  if (grad.rank() != 4) ShapeContext::fail("out_backprop must be 4-dimensional" + grad.to_string());
  if (!(grad == dilated(context, context.input(0), context.input(1))))
    ShapeContext::fail("out_backprop has incompatible size.");
}

/// The sizes of one call, and what is the largest in a window.
struct Dilation {
  int64_t batch, rows, columns, depth;
  int64_t out_rows, out_columns;
  std::array<WindowDim, 2> dims;
  std::array<int64_t, 2> before;

  Dilation(const graph::Attrs& attrs, const Shape& input, const Shape& filter)
      : batch(input.dim(0)), rows(input.dim(1)), columns(input.dim(2)), depth(input.dim(3)) {
    const DilationWindows windows(attrs, filter);
    dims = windows.dims;
    const WindowPlaces down = windows.places(0, rows);
    const WindowPlaces across = windows.places(1, columns);
    out_rows = down.count;
    out_columns = across.count;
    before = {down.pad_before, across.pad_before};
  }

  /// Where the largest stands: in the image, and in the filter. That of the first pixel where no sum is
  /// larger than the least number.
  template <class T>
  struct Largest {
    T value = std::numeric_limits<T>::lowest();
    int64_t y, x;
    int64_t filter_y = 0;
    int64_t filter_x = 0;
  };
  template <class T>
  Largest<T> largest(const T* image, const T* filter, int64_t out_y, int64_t out_x, int64_t c) const {
    const int64_t top = out_y * dims[0].stride - before[0];
    const int64_t left = out_x * dims[1].stride - before[1];
    Largest<T> found{.y = std::max<int64_t>(top, 0), .x = std::max<int64_t>(left, 0)};
    for (int64_t i = 0; i < dims[0].window; ++i) {
      const int64_t y = top + i * dims[0].dilation;
      if (y < 0 || y >= rows) continue;
      for (int64_t j = 0; j < dims[1].window; ++j) {
        const int64_t x = left + j * dims[1].dilation;
        if (x < 0 || x >= columns) continue;
        const auto sum =
            static_cast<T>(wrapping_add(static_cast<Wide<T>>(image[(y * columns + x) * depth + c]),
                                        static_cast<Wide<T>>(filter[(i * dims[1].window + j) * depth + c])));
        if (static_cast<Wide<T>>(sum) > static_cast<Wide<T>>(found.value))
          found = {.value = sum, .y = y, .x = x, .filter_y = i, .filter_x = j};
      }
    }
    return found;
  }

  /// Calls use(index of the output's element, image, what is largest) for rows [begin, end) of all images.
  template <class T, class Use>
  void for_rows(const T* input, const T* filter, int64_t begin, int64_t end, Use use) const {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t b = row / out_rows;
      const T* const image = input + b * rows * columns * depth;
      for (int64_t x = 0; x < out_columns; ++x) {
        for (int64_t c = 0; c < depth; ++c) {
          const auto found = largest(image, filter, row % out_rows, x, c);
          use((row * out_columns + x) * depth + c, b, c, found);
        }
      }
    }
  }
};

std::unique_ptr<graph::Kernel> prepare_dilation(PrepareContext& context) {
  const Dilation dilation(context.attrs(), context.input_shape(0), context.input_shape(1));
  return kernel_for_dtype<RealTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([dilation](const KernelCall& call) {
      const int64_t count =
          dilation.out_columns * dilation.depth == 0 ? 0 : dilation.batch * dilation.out_rows;
      call.parallel().for_range(count, 1, [&](int64_t begin, int64_t end, int) {
        dilation.for_rows(
            call.in<T>(0), call.in<T>(1), begin, end,
            [&](int64_t i, int64_t, int64_t, const auto& found) { call.out<T>(0)[i] = found.value; });
      });
    });
  });
}

/// What comes to each output goes where its largest sum came from: to the image's pixel, or to the filter.
template <bool to_filter>
std::unique_ptr<graph::Kernel> prepare_dilation_gradient(PrepareContext& context) {
  const Dilation dilation(context.attrs(), context.input_shape(0), context.input_shape(1));
  const int64_t size = context.output_shape(0).num_elements();
  return kernel_for_dtype<RealTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([dilation, size](const KernelCall& call) {
      T* const out = call.out<T>(0);
      std::fill_n(out, size, T(0));
      if (size == 0) return;
      const Dilation& d = dilation;
      const int64_t count = d.out_columns * d.depth == 0 ? 0 : d.batch * d.out_rows;
      d.for_rows(call.in<T>(0), call.in<T>(1), 0, count,
                 [&](int64_t i, int64_t b, int64_t c, const auto& found) {
                   // An empty filter has places beyond the image.
                   if (!to_filter && (found.y >= d.rows || found.x >= d.columns)) return;
                   const int64_t place = to_filter ? found.filter_y * d.dims[1].window + found.filter_x
                                                   : (b * d.rows + found.y) * d.columns + found.x;
                   T& sum = out[place * d.depth + c];
                   sum = static_cast<T>(
                       wrapping_add(static_cast<Wide<T>>(sum), static_cast<Wide<T>>(call.in<T>(2)[i])));
                 });
    });
  });
}

std::vector<Endpoint> dilation_gradient(GradientContext& g) {
  const graph::Attrs attrs = {{"strides", g.attrs().get<std::vector<int64_t>>("strides")},
                              {"rates", g.attrs().get<std::vector<int64_t>>("rates")},
                              {"padding", g.attrs().get<std::string>("padding")}};
  const std::vector<Endpoint> inputs = {g.input(0), g.input(1), g.grad()};
  const Endpoint of_input = g.op("Dilation2DBackpropInput", inputs, attrs);
  return {of_input, g.op("Dilation2DBackpropFilter", inputs, attrs)};
}

constexpr std::string_view kDilationAttrs =
    "T:type{real_numbers}; strides:list(int)>=4; rates:list(int)>=4; padding:string{[SAME,VALID]}";

constexpr graph::OpRow kDilationOps[] = {
    {.name = "Dilation2D",
     .inputs = "input:T, filter:T",
     .outputs = "output:T",
     .attrs = kDilationAttrs,
     .shape = dilation_shape,
     .gradient = dilation_gradient,
     .prepare = prepare_dilation},
    {.name = "Dilation2DBackpropInput",
     .inputs = "input:T, filter:T, out_backprop:T",
     .outputs = "in_backprop:T",
     .attrs = kDilationAttrs,
     .shape = dilation_gradient_shape<0>,
     .prepare = prepare_dilation_gradient<false>},
    {.name = "Dilation2DBackpropFilter",
     .inputs = "input:T, filter:T, out_backprop:T",
     .outputs = "filter_backprop:T",
     .attrs = kDilationAttrs,
     .shape = dilation_gradient_shape<1>,
     .prepare = prepare_dilation_gradient<true>},
};

}  // namespace

void register_dilation_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kDilationOps) table.add(row);
}

}  // namespace flowray::ops
