// Cumsum and Cumprod: running sums and products along an axis.

#include "graph/gradient_context.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_parts.h"
#include "ops/reduce/reduce_loops.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

/// The node's op, or another one, with its attributes and the direction turned or not.
Endpoint accumulate(GradientContext& g, std::string_view op, Endpoint x, bool reverse) {
  return g.op(op, {x, g.input(1)}, {{"exclusive", g.attrs().get<bool>("exclusive")}, {"reverse", reverse}});
}

std::vector<Endpoint> cumsum_gradient(GradientContext& g) {
  return {accumulate(g, "Cumsum", g.grad(), !g.attrs().get<bool>("reverse")), {}};
}

std::vector<Endpoint> cumprod_gradient(GradientContext& g) {
  const bool reverse = g.attrs().get<bool>("reverse");
  const Endpoint products = accumulate(g, "Cumprod", g.input(0), reverse);
  const Endpoint sums = accumulate(g, "Cumsum", g.op("Mul", {products, g.grad()}, {}, "mul"), !reverse);
  return {g.op("DivNoNan", {sums, g.input(0)}, {}, "div_no_nan"), {}};
}

void accumulation_shape(ShapeContext& context) {
  if (context.running() && context.input(1).rank() != 0) {
    ShapeContext::fail(fmt::format("ScanOp: axis must be a scalar, not {}", context.input(1).to_string()));
  }
  if (context.running()) {
    const int64_t axis = context.integers(1)[0];
    const int rank = context.input(0).rank();
    if (axis < -rank || axis >= rank) {
      ShapeContext::fail(fmt::format("ScanOp: Expected scan axis in the range [{}, {}), but got {}", -rank,
                                     rank, axis < 0 ? axis + rank : axis));
    }
  }
  context.set_output(0, context.input(0));
}

/// The input as [outer, length, inner]; elements of the middle dimension are accumulated.
struct Scan {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  int64_t rows = 1;  // elements of one of `outer`
  bool exclusive = false;
  bool reverse = false;
};

Scan scan_of(const PrepareContext& context) {
  const Shape& shape = context.input_shape(0);
  const int64_t axis = context.integers(1)[0];
  const auto dim = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
  Scan scan;
  scan.outer = elements_between(shape, 0, dim);
  scan.length = shape.dim(dim);
  scan.inner = elements_between(shape, dim + 1, shape.rank());
  scan.rows = elements_between(shape, dim, shape.rank());
  scan.exclusive = context.attrs().get<bool>("exclusive");
  scan.reverse = context.attrs().get<bool>("reverse");
  return scan;
}

/// One row of the result from the row before it and the input's row that joins in.
template <class Way, class T>
void scan_rows(const Scan& scan, const T* x, T* out) {
  const int64_t step = scan.reverse ? -scan.inner : scan.inner;
  const int64_t first = scan.reverse ? (scan.length - 1) * scan.inner : 0;
  for (int64_t i = 0; i < scan.length; ++i) {
    T* to = out + first + i * step;
    if (i == 0 && scan.exclusive) {
      std::fill_n(to, scan.inner, Way::template neutral<T>());
      continue;
    }
    const T* joining = x + first + (scan.exclusive ? i - 1 : i) * step;
    for (int64_t j = 0; j < scan.inner; ++j)
      to[j] = i == 0 ? joining[j] : Way::combine(to[j - step], joining[j]);
  }
}

/// Smaller integers go through wider ones (graph/kernel/widened_kernel.h). Small floats do not: as in
/// TensorFlow, each of their running sums is rounded.
using ScannedTypes = TypeList<float, double, float16, bfloat16, int32_t, int64_t, uint64_t,
                              std::complex<float>, std::complex<double>>;

template <class Way>
std::unique_ptr<Kernel> prepare_scan(PrepareContext& context) {
  const Scan scan = scan_of(context);
  return kernel_for_dtype<ScannedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([scan](const KernelCall& call) {
      const int64_t rows = scan.rows;
      if (rows == 0) return;
      for_elements(call.parallel(), scan.outer, std::max<int64_t>(1, 16384 / rows),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t r = begin; r < end; ++r) {
                       scan_rows<Way>(scan, call.in<T>(0) + r * rows, call.out<T>(0) + r * rows);
                     }
                   });
    });
  });
}

constexpr std::string_view attrs =
    "exclusive:bool=false; reverse:bool=false; T:type{numbers}; Tidx:type=int32{indices}";

constexpr graph::OpRow kCumulativeOps[] = {
    {.name = "Cumsum",
     .inputs = "x:T, axis:Tidx",
     .outputs = "out:T",
     .attrs = attrs,
     .shape = accumulation_shape,
     .gradient = cumsum_gradient,
     .prepare = prepare_scan<Adding>},
    {.name = "Cumprod",
     .inputs = "x:T, axis:Tidx",
     .outputs = "out:T",
     .attrs = attrs,
     .shape = accumulation_shape,
     .gradient = cumprod_gradient,
     .prepare = prepare_scan<Multiplying>},
};

}  // namespace

void register_cumulative_ops(OpTable& table) {
  for (const graph::OpRow& row : kCumulativeOps) table.add(row);
}

}  // namespace flowray::ops
