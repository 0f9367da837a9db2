// Comparisons and logic: elementwise functions of two tensors that give bools.

#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/pointwise.h"
#include "ops/elements/shape_merging.h"
#include "ops/math/register.h"

#include <fmt/format.h>

#include <cmath>

namespace flowray::ops {

using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

bool broadcasts(const Shape& a, const Shape& b) {
  try {
    graph::broadcast(a, b, /*running=*/true);
    return true;
  } catch (const errors::InvalidArgumentError&) {
    return false;
  }
}

/// With incompatible_shape_error=false shapes that do not broadcast are not equal as a whole: one bool. So
/// nothing is known of the result while a graph is built, unless both shapes are.
void equality_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  const Shape& y = context.input(1);
  if (context.attrs().get<bool>("incompatible_shape_error")) return graph::broadcast_shape(context);
  if (!x.is_fully_defined() || !y.is_fully_defined()) return;
  if (broadcasts(x, y)) return graph::broadcast_shape(context);
  if (context.running()) context.set_output(0, Shape());
}

template <bool kEqual>
struct SameText {
  static bool apply(const std::string& x, const std::string& y) { return (x == y) == kEqual; }
};

template <BinaryFunction kFunction>
std::unique_ptr<graph::Kernel> prepare_equality(PrepareContext& context) {
  if (broadcasts(context.input_shape(0), context.input_shape(1))) {
    if (context.input_dtype(0) != DType::kString) return binary_kernel(context, kFunction);
    return prepare_pointwise<SameText<kFunction == BinaryFunction::kEqual>, TypeList<std::string>, 2>(
        context);
  }
  return graph::make_kernel(
      [](const graph::KernelCall& call) { *call.out<bool>(0) = kFunction == BinaryFunction::kNotEqual; });
}

/// Numbers that differ by less than the attribute `tolerance`.
std::unique_ptr<graph::Kernel> prepare_approximately_equal(PrepareContext& context) {
  const float tolerance = context.attrs().get<float>("tolerance");
  const int64_t count = context.output_shape(0).num_elements();
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([tolerance, count](const graph::KernelCall& call) {
      for (int64_t i = 0; i < count; ++i) {
        call.out<bool>(0)[i] = std::abs(call.in<T>(0)[i] - call.in<T>(1)[i]) < static_cast<T>(tolerance);
      }
    });
  });
}

void shape_of_both(ShapeContext& context) {
  if (context.running() && !(context.input(0) == context.input(1))) {
    ShapeContext::fail(fmt::format("x and y must be of the same shape. x shape: {}. y shape: {}",
                                   context.input(0).to_string(), context.input(1).to_string()));
  }
  context.set_output(0, merge_shapes(context.input(0), context.input(1)));
}

constexpr graph::OpRow order_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "x:T, y:T",
          .outputs = "z:bool",
          .attrs = "T:type{real_numbers}",
          .elementwise = true,
          .shape = graph::broadcast_shape,
          .not_differentiable = true,
          .prepare = prepare};
}

constexpr graph::OpRow kOrders[] = {
    order_row("Less", prepare_binary<BinaryFunction::kLess>),
    order_row("LessEqual", prepare_binary<BinaryFunction::kLessEqual>),
    order_row("Greater", prepare_binary<BinaryFunction::kGreater>),
    order_row("GreaterEqual", prepare_binary<BinaryFunction::kGreaterEqual>),
};
constexpr graph::OpRow equality_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "x:T, y:T",
          .outputs = "z:bool",
          .attrs = "T:type; incompatible_shape_error:bool=true",
          .elementwise = true,
          .shape = equality_shape,
          .not_differentiable = true,
          .prepare = prepare};
}

constexpr graph::OpRow kEqualities[] = {
    equality_row("Equal", prepare_equality<BinaryFunction::kEqual>),
    equality_row("NotEqual", prepare_equality<BinaryFunction::kNotEqual>),
};
constexpr graph::OpRow logical_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "x:bool, y:bool",
          .outputs = "z:bool",
          .elementwise = true,
          .shape = graph::broadcast_shape,
          .not_differentiable = true,
          .prepare = prepare};
}

constexpr graph::OpRow kLogic[] = {
    logical_row("LogicalAnd", prepare_binary<BinaryFunction::kLogicalAnd>),
    logical_row("LogicalOr", prepare_binary<BinaryFunction::kLogicalOr>),
};

constexpr graph::OpRow kComparisonOps[] = {
    {.name = "ApproximateEqual",
     .inputs = "x:T, y:T",
     .outputs = "z:bool",
     .attrs = "T:type{numbers}; tolerance:float=9.999999747378752e-06",
     .shape = shape_of_both,
     .not_differentiable = true,
     .prepare = prepare_approximately_equal},
};

}  // namespace

void register_comparison_ops(OpTable& table) {
  for (const graph::OpRow& row : kOrders) table.add(row);
  for (const graph::OpRow& row : kEqualities) table.add(row);
  for (const graph::OpRow& row : kLogic) table.add(row);
  for (const graph::OpRow& row : kComparisonOps) table.add(row);
}

}  // namespace flowray::ops
