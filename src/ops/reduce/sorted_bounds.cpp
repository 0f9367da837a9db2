// LowerBound and UpperBound: where values belong in sorted rows.

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void bound_shape(ShapeContext& context) {
  if (context.running()) {
    for (int i = 0; i < 2; ++i) {
      if (context.input(i).rank() == 2) continue;
      ShapeContext::fail(fmt::format("Shape must be rank 2 but is rank {} for `{}` argument",
                                     context.input(i).rank(), i == 0 ? "sorted_inputs" : "values"));
    }
    if (context.input(0).dim(0) != context.input(1).dim(0)) {
      ShapeContext::fail("Leading dim_size of both tensors must match.");
    }
  }
  const Shape sorted = context.with_rank(0, 2);
  const Shape values = context.with_rank(1, 2);
  ShapeContext::merge_dim(sorted.dim(0), values.dim(0));
  context.set_output(0, values);
}

template <bool kUpper>
std::unique_ptr<graph::Kernel> prepare_bound(PrepareContext& context) {
  const int64_t rows = context.input_shape(0).dim(0);
  const int64_t columns = context.input_shape(0).dim(1);
  const int64_t count = context.input_shape(1).dim(1);
  const bool narrow = context.output_dtype(0) == DType::kInt32;
  using Types = TypeList<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                         uint16_t, uint32_t, uint64_t>;
  return kernel_for_dtype<Types>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([=](const KernelCall& call) {
      const auto less = [](T a, T b) { return static_cast<Wide<T>>(a) < static_cast<Wide<T>>(b); };
      for (int64_t i = 0; i < rows * count; ++i) {
        const T* const row = call.in<T>(0) + i / count * columns;
        const T value = call.in<T>(1)[i];
        const T* const at = kUpper ? std::upper_bound(row, row + columns, value, less)
                                   : std::lower_bound(row, row + columns, value, less);
        if (narrow) {
          call.out<int32_t>(0)[i] = static_cast<int32_t>(at - row);
        } else {
          call.out<int64_t>(0)[i] = at - row;
        }
      }
    });
  });
}

constexpr graph::OpRow sorted_bound_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "sorted_inputs:T, values:T",
          .outputs = "output:out_type",
          .attrs = "T:type; out_type:type=int32{indices}",
          .shape = bound_shape,
          .not_differentiable = true,
          .prepare = prepare};
}

constexpr graph::OpRow kSortedBoundOps[] = {
    sorted_bound_row("LowerBound", prepare_bound<false>),
    sorted_bound_row("UpperBound", prepare_bound<true>),
};

}  // namespace

void register_sorted_bound_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSortedBoundOps) table.add(row);
}

}  // namespace flowray::ops
