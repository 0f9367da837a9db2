// Cross: the cross product of vectors of three.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/matrix/register.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void cross_shape(ShapeContext& context) {
  if (context.running() && !(context.input(0) == context.input(1))) {
    ShapeContext::fail(fmt::format("Both inputs must be of same shape: {} vs. {}",
                                   context.input(0).to_string(), context.input(1).to_string()));
  }
  const Shape a = context.with_rank_at_least(0, 1);
  const Shape b = context.with_rank_at_least(1, 1);
  if (context.running() && a.dim(-1) != 3) {
    throw errors::FailedPreconditionError(fmt::format(
        "Cross-products are only defined for 3-element vectors.\nThese have {} elements.", a.dim(-1)));
  }
  if (a.has_rank()) ShapeContext::merge_dim(a.dim(-1), 3);
  context.set_output(0, merge_shapes(a, b));
}

std::unique_ptr<Kernel> prepare_cross(PrepareContext& context) {
  return kernel_for_dtype<RealTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([count = context.input_shape(0).num_elements()](const KernelCall& call) {
      for (int64_t i = 0; i < count; i += 3) {
        const T* const a = call.in<T>(0) + i;
        const T* const b = call.in<T>(1) + i;
        for (int k = 0; k < 3; ++k) {
          const int next = (k + 1) % 3;
          const int last = (k + 2) % 3;
          call.out<T>(0)[i + k] =
              wrapping_subtract(wrapping_multiply(a[next], b[last]), wrapping_multiply(a[last], b[next]));
        }
      }
    });
  });
}

std::vector<Endpoint> cross_gradient(GradientContext& g) {
  const Endpoint of_a = g.op("Cross", {g.input(1), g.grad()});
  return {of_a, g.op("Cross", {g.grad(), g.input(0)})};
}

constexpr graph::OpRow kCrossOps[] = {
    {.name = "Cross",
     .inputs = "a:T, b:T",
     .outputs = "product:T",
     .attrs = "T:type{real_numbers}",
     .shape = cross_shape,
     .gradient = cross_gradient,
     .prepare = prepare_cross},
};

}  // namespace

void register_cross_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kCrossOps) table.add(row);
}

}  // namespace flowray::ops
