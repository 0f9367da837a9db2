// ScatterAdd, ScatterMul, ..., ResourceScatterAdd, ...: rows of a variable are updated in place.

#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/combine_rules.h"
#include "ops/elements/index_text.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/shape_merging.h"
#include "ops/variables/register.h"
#include "ops/variables/variable_shapes.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;
using graph::Variable;

void scatter_shape(ShapeContext& context) {
  const Shape variable =
      context.input_dtype(0) == DType::kResource ? context.value_as_shape(0) : context.input(0);
  const Shape& updates = context.input(2);
  if (!context.running() && updates.rank() != 0) {
    merge_shapes(updates, context.input(1).concatenate(row_shape(variable)));
  }
  if (context.num_outputs() > 0) context.set_output(0, variable);
}

/// What one op works on, apart from the pointers.
struct Scatter {
  Shape indices;
  DType index_dtype;
  Shape updates;
  bool of_resource;

  void check_shapes(const Shape& variable) const {
    if (variable.rank() == 0) {
      throw errors::InvalidArgumentError("params must be at least 1-D, got shape []");
    }
    const Shape expected = indices.concatenate(row_shape(variable));
    if (updates.rank() == 0 || updates == expected) return;
    const auto leading = static_cast<size_t>(indices.rank());
    if (of_resource && updates.rank() == expected.rank() &&
        !(Shape(updates.dims().first(leading)) == indices)) {
      throw errors::InvalidArgumentError(
          fmt::format("The shape of indices ({}) must be a prefix of the shape of updates ({})",
                      indices.to_string(), updates.to_string()));
    }
    throw errors::InvalidArgumentError(
        fmt::format("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
                    "updates.shape {}, indices.shape {}, params.shape {}",
                    updates.to_string(), indices.to_string(), variable.to_string()));
  }

  /// Element i of the indices, read once: they may be a variable's elements, which others change.
  int64_t checked_row(const IntegerReader& index, int64_t i, int64_t rows) const {
    const int64_t row = index[i];
    if (row >= 0 && row < rows) return row;
    throw errors::InvalidArgumentError(
        fmt::format("indices{} = {} is not in [0, {})", position_text(indices, i), row, rows));
  }

  using Loop = void (*)(const Scatter& scatter, const IntegerReader& index, const Shape& variable,
                        const void* values, void* out);

  /// What differs between rules and types; the rest is compiled once.
  template <class Rule, class T>
  static void combine_rows(const Scatter& scatter, const IntegerReader& index, const Shape& variable,
                           const void* values, void* out) {
    const int64_t rows = variable.dim(0);
    const int64_t row = row_shape(variable).num_elements();
    const bool one_value = scatter.updates.rank() == 0;
    for (int64_t i = 0; i < scatter.indices.num_elements(); ++i) {
      T* to = static_cast<T*>(out) + scatter.checked_row(index, i, rows) * row;
      const T* from = static_cast<const T*>(values) + (one_value ? 0 : i * row);
      for (int64_t j = 0; j < row; ++j) to[j] = Rule::combine(to[j], from[one_value ? 0 : j]);
    }
  }

  void run(const KernelCall& call, DType dtype, Loop loop) const {
    Variable::Update update = call.variable(0).update();
    if (update.dtype() != dtype) {
      throw errors::InvalidArgumentError(
          fmt::format("Trying to update a variable of dtype {} with values of dtype {}",
                      dtype_kernel_name(update.dtype()), dtype_kernel_name(dtype)));
    }
    check_shapes(update.shape());
    const IntegerReader index{call.in<void>(1), index_dtype};
    // All of them before the first update.
    const int64_t rows = update.shape().dim(0);
    for (int64_t i = 0; i < indices.num_elements(); ++i) (void)checked_row(index, i, rows);
    loop(*this, index, update.shape(), call.in<void>(2), update.raw_data());
  }
};

using MovedTypes =
    TypeList<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
             uint64_t, std::complex<float>, std::complex<double>, bool, std::string>;

std::unique_ptr<Kernel> scatter_kernel(const Scatter& scatter, DType dtype, Scatter::Loop loop) {
  return graph::make_kernel([=](const KernelCall& call) { scatter.run(call, dtype, loop); });
}

template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_scatter(PrepareContext& context) {
  const Scatter scatter{context.input_shape(1), context.input_dtype(1), context.input_shape(2),
                        context.input_dtype(0) == DType::kResource};
  const DType dtype = context.input_dtype(2);
  Scatter::Loop loop = nullptr;
  if (!dispatch<Types>(dtype, [&]<class T>() { loop = &Scatter::combine_rows<Rule, T>; }))
    context.no_kernel_for(dtype);
  return scatter_kernel(scatter, dtype, loop);
}

/// Scatter...: of a variable by reference, which is what comes out.
constexpr graph::OpRow scatter_row(std::string_view name, std::string_view attrs,
                                   graph::PrepareFunction prepare, bool not_differentiable = true) {
  return {.name = name,
          .inputs = "ref:ref T, indices:Tindices, updates:T",
          .outputs = "output_ref:ref T",
          .attrs = attrs,
          .shape = scatter_shape,
          .not_differentiable = not_differentiable,
          .prepare = prepare};
}

/// ResourceScatter...: of a variable by handle.
constexpr graph::OpRow resource_scatter_row(
    std::string_view name, graph::PrepareFunction prepare,
    std::string_view attrs = "dtype:type{numbers}; Tindices:type{indices}") {
  return {.name = name,
          .inputs = "resource:resource, indices:Tindices, updates:dtype",
          .attrs = attrs,
          .stateful = true,
          .shape = scatter_shape,
          .prepare = prepare};
}

constexpr std::string_view kArithmeticAttrs =
    "T:type{numbers}; Tindices:type{indices}; use_locking:bool=false";
constexpr std::string_view kExtremeAttrs =
    "T:type{[float16,bfloat16,float32,float64,int32,int64]}; Tindices:type{indices}; use_locking:bool=false";

constexpr graph::OpRow kScatterOps[] = {
    scatter_row("ScatterAdd", kArithmeticAttrs, prepare_scatter<Plus, AllNumberTypes>),
    scatter_row("ScatterSub", kArithmeticAttrs, prepare_scatter<Minus, AllNumberTypes>),
    scatter_row("ScatterMul", kArithmeticAttrs, prepare_scatter<Times, AllNumberTypes>),
    scatter_row("ScatterDiv", kArithmeticAttrs, prepare_scatter<Over, AllNumberTypes>),
    scatter_row("ScatterMin", kExtremeAttrs, prepare_scatter<Least, RealTypes>),
    scatter_row("ScatterMax", kExtremeAttrs, prepare_scatter<Greatest, RealTypes>),
    scatter_row("ScatterUpdate", "T:type; Tindices:type{indices}; use_locking:bool=true",
                prepare_scatter<Replace, MovedTypes>, /*not_differentiable=*/false),
    resource_scatter_row("ResourceScatterAdd", prepare_scatter<Plus, AllNumberTypes>),
    resource_scatter_row("ResourceScatterSub", prepare_scatter<Minus, AllNumberTypes>),
    resource_scatter_row("ResourceScatterMul", prepare_scatter<Times, AllNumberTypes>),
    resource_scatter_row("ResourceScatterDiv", prepare_scatter<Over, AllNumberTypes>),
    resource_scatter_row("ResourceScatterMin", prepare_scatter<Least, RealTypes>),
    resource_scatter_row("ResourceScatterMax", prepare_scatter<Greatest, RealTypes>),
    resource_scatter_row("ResourceScatterUpdate", prepare_scatter<Replace, MovedTypes>,
                         "dtype:type; Tindices:type{indices}"),
};

}  // namespace

void register_scatter_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kScatterOps) table.add(row);
}

}  // namespace flowray::ops
