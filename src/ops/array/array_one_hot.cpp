// OneHot.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/element_words.h"
#include "ops/elements/shape_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

void check_scalars_in_step(const ShapeContext& context) {
  const char* const names[] = {"depth", "on_value", "off_value"};
  for (int i = 1; i <= 3; ++i) {
    if (context.input(i).rank() != 0) {
      ShapeContext::fail(
          fmt::format("{} must be a scalar, but got: {}", names[i - 1], context.input(i).to_string()));
    }
  }
}

void one_hot_shape(ShapeContext& context) {
  const int64_t axis = checked_int32("Attr axis", context.attrs().get<int64_t>("axis"));
  const Shape& indices = context.input(0);
  if (axis < -1) ShapeContext::fail("axis must be >= -1");
  if (context.running()) check_scalars_in_step(context);
  if (context.input(1).has_rank() && context.input(1).rank() != 0) {
    ShapeContext::fail(fmt::format("Input must be scalar but has rank {}", context.input(1).rank()));
  }
  int64_t depth = Shape::kUnknownDim;
  if (context.value(1) != nullptr) {
    depth = context.integers(1)[0];
    if (depth < 0) {
      ShapeContext::fail(
          context.running()
              ? fmt::format("depth must be non-negative, got: {}", depth)
              : fmt::format("Dimension size, given by scalar input 1, must be non-negative but is {}",
                            depth));
    }
  }
  if (!indices.has_rank()) return;
  if (axis > indices.rank()) {
    if (!context.running()) return;
    ShapeContext::fail(fmt::format("Expected axis to be -1 or between [0, {}).  But received: {}",
                                   indices.rank() + 1, axis));
  }
  std::vector<int64_t> dims(indices.begin(), indices.end());
  dims.insert(axis < 0 ? dims.end() : dims.begin() + axis, depth);
  context.set_output(0, Shape(dims));
}

/// indices as [prefix, suffix], output as [prefix, depth, suffix].
struct OneHotSizes {
  int64_t prefix;
  int64_t depth;
  int64_t suffix;
};

template <class W, class Index>
std::unique_ptr<Kernel> one_hot_kernel(const OneHotSizes& sizes, int64_t count) {
  return make_kernel([sizes, count](const KernelCall& call) {
    if (count == 0) return;  // there may be any number of rows in it
    const Index* indices = call.in<Index>(0);
    const W on = *call.in<W>(2);
    const W off = *call.in<W>(3);
    W* out = call.out<W>(0);
    std::fill_n(out, count, off);
    for (int64_t i = 0; i < sizes.prefix; ++i) {
      for (int64_t k = 0; k < sizes.suffix; ++k) {
        const auto hot = static_cast<int64_t>(*indices++);
        if (hot >= 0 && hot < sizes.depth) out[hot * sizes.suffix + k] = on;
      }
      out += sizes.depth * sizes.suffix;
    }
  });
}

std::unique_ptr<Kernel> prepare_one_hot(PrepareContext& context) {
  const Shape& indices = context.input_shape(0);
  const int64_t given = context.attrs().get<int64_t>("axis");
  const int axis = given < 0 ? indices.rank() : static_cast<int>(given);
  const OneHotSizes sizes = {.prefix = elements_between(indices, 0, axis),
                             .depth = context.output_shape(0).dim(axis),
                             .suffix = elements_between(indices, axis, indices.rank())};
  const int64_t count = context.output_shape(0).num_elements();
  std::unique_ptr<Kernel> kernel;
  const bool known =
      dispatch<TypeList<uint8_t, int8_t, int32_t, int64_t>>(context.input_dtype(0), [&]<class Index>() {
        const bool movable = dispatch_words(
            context.output_dtype(0), [&]<class W>() { kernel = one_hot_kernel<W, Index>(sizes, count); });
        if (!movable) context.no_kernel_for(context.output_dtype(0));
      });
  if (!known) context.no_kernel_for(context.input_dtype(0));
  return kernel;
}

constexpr graph::OpRow kArrayOneHotOps[] = {
    {.name = "OneHot",
     .inputs = "indices:TI, depth:int32, on_value:T, off_value:T",
     .outputs = "output:T",
     .attrs = "axis:int=-1; T:type; TI:type=int64{[uint8,int8,int32,int64]}",
     .shape = one_hot_shape,
     .not_differentiable = true,
     .prepare = prepare_one_hot},
};

}  // namespace

void register_array_one_hot_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayOneHotOps) table.add(row);
}

}  // namespace flowray::ops
