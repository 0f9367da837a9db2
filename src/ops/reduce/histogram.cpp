// HistogramFixedWidth: how many values fall into each of equal parts of a range.

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void histogram_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(1).rank() != 1) ShapeContext::fail("value_range should be a vector.");
    if (context.input(1).dim(0) != 2) {
      ShapeContext::fail("value_range should be a vector of 2 elements.");
    }
    if (context.input(2).rank() != 0) ShapeContext::fail("nbins should be a scalar.");
  }
  ShapeContext::merge_dim(context.with_rank(1, 1).dim(0), 2);
  context.with_rank(2, 0);
  const bool known = context.running() || context.value(2) != nullptr;
  const int64_t bins = known ? context.integers(2)[0] : Shape::kUnknownDim;
  if (known && bins <= 0) {
    ShapeContext::fail(context.running()
                           ? fmt::format("nbins should be a positive number, but got '{}'", bins)
                           : fmt::format("Requires nbins > 0: {}", bins));
  }
  context.set_output(0, Shape{bins});
}

template <class T, class Count>
std::unique_ptr<Kernel> histogram_kernel(int64_t values, int64_t bins) {
  return graph::make_kernel([values, bins](const KernelCall& call) {
    const T* const range = call.in<T>(1);
    Count* const out = call.out<Count>(0);
    std::fill_n(out, bins, Count(0));
    if (!(range[0] < range[1])) {
      throw errors::InvalidArgumentError(
          fmt::format("value_range should satisfy value_range[0] < value_range[1], but got '[{}, {}]'",
                      range[0], range[1]));
    }
    const double step =
        (static_cast<double>(range[1]) - static_cast<double>(range[0])) / static_cast<double>(bins);
    for (int64_t i = 0; i < values; ++i) {
      const T value = call.in<T>(0)[i];
      if (value != value) continue;
      const double place = (static_cast<double>(value) - static_cast<double>(range[0])) / step;
      // Infinite ranges, and those of no width, make NaN.
      const double bin = std::isnan(place) ? 0.0 : std::clamp(place, 0.0, static_cast<double>(bins - 1));
      ++out[static_cast<int64_t>(bin)];
    }
  });
}

std::unique_ptr<Kernel> prepare_histogram(PrepareContext& context) {
  const int64_t values = context.input_shape(0).num_elements();
  const int64_t bins = context.output_shape(0).dim(0);
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return kernel_for_dtype<IndexTypes>(context, context.output_dtype(0), [&]<class Count>() {
      return histogram_kernel<T, Count>(values, bins);
    });
  });
}

constexpr graph::OpRow kHistogramOps[] = {
    {.name = "HistogramFixedWidth",
     .inputs = "values:T, value_range:T, nbins:int32",
     .outputs = "out:dtype",
     .attrs = "T:type{[int32,int64,float32,float64]}; dtype:type=int32{indices}",
     .shape = histogram_shape,
     .prepare = prepare_histogram},
};

}  // namespace

void register_histogram_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kHistogramOps) table.add(row);
}

}  // namespace flowray::ops
