// Const, placeholders, Fill, ZerosLike, OnesLike and the ops that only carry control dependencies.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/fill_words.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/strided_copy.h"
#include "ops/elements/tensor_list.h"
#include "ops/python_nodes/python_array_nodes.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

/// Throws unless elements of `dtype` can be moved.
void check_movable(PrepareContext& context, DType dtype) {
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
}

/// Copies input or captured elements as they are.
std::unique_ptr<Kernel> copy_of(PrepareContext& context, Array value) {
  check_movable(context, value.dtype());
  const StridedCopy::Dim whole{value.size(), 1, 1};
  const StridedCopy copy(value.dtype(), {&whole, 1});
  return make_kernel([copy, value = std::move(value)](const KernelCall& call) {
    copy.run(value.raw_data(), call.out<void>(0), call.parallel());
  });
}

// ---- Const

void const_shape(ShapeContext& context) {
  context.set_output(0, context.attrs().get<Array>("value").shape());
}

std::unique_ptr<Kernel> prepare_const(PrepareContext& context) {
  return copy_of(context, context.attrs().get<Array>("value"));
}

// ---- Placeholders

void attr_shape(ShapeContext& context) { context.set_output(0, context.attrs().get<Shape>("shape")); }

std::unique_ptr<Kernel> prepare_placeholder(PrepareContext& context) {
  const Shape& shape = context.attrs().get<Shape>("shape");
  std::string what = fmt::format("You must feed a value for placeholder tensor '{}' with dtype {}",
                                 context.node_name(), dtype_kernel_name(context.output_dtype(0)));
  if (shape.rank() > 0) what += " and shape " + shape.to_string();
  throw errors::InvalidArgumentError(what);
}

/// The default must fit the shape, which tells more or less than the default's own: what is fed decides.
void placeholder_with_default_shape(ShapeContext& context) {
  const Shape& shape = context.attrs().get<Shape>("shape");
  if (context.running()) return context.set_output(0, context.input(0));
  merge_shapes(context.input(0), shape);
  context.set_output(0, shape);
}

std::vector<Endpoint> pass_gradient(GradientContext& g) { return {g.grad()}; }

// ---- Fill

void fill_shape(ShapeContext& context) {
  if (!context.running()) {
    context.with_rank(0, 1);
    context.with_rank(1, 0);
    const Shape dims = context.value_as_shape(0);
    if (context.value(0) != nullptr && !dims.is_fully_defined()) {
      ShapeContext::fail("Fill dimensions must be >= 0");
    }
    return context.set_output(0, dims);
  }
  if (context.input(0).rank() > 1) {
    ShapeContext::fail("dims must represent a vector, got shape " + context.input(0).to_string());
  }
  const Shape& value = context.input(1);
  if (value.rank() > 1 || (value.rank() == 1 && value.dim(0) != 1)) {
    ShapeContext::fail("value must represent a scalar, got shape " + value.to_string());
  }
  const std::vector<int64_t> dims = context.integers(0);
  for (int64_t dim : dims) {
    if (dim < 0) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", dim));
  }
  context.set_output(0, Shape(dims));
}

std::unique_ptr<Kernel> prepare_fill(PrepareContext& context) {
  const DType dtype = context.output_dtype(0);
  check_movable(context, dtype);
  const int64_t count = context.output_shape(0).num_elements();
  return make_kernel([dtype, count](const KernelCall& call) {
    fill_words(dtype, call.in<void>(1), call.out<void>(0), count, call.parallel());
  });
}

/// Sums everything. Where the rank is not known the axes are counted at run time.
std::vector<Endpoint> fill_gradient(GradientContext& g) {
  const Shape& shape = g.grad().shape();
  Endpoint axes;
  if (shape.has_rank()) {
    std::vector<int64_t> all;
    for (int i = 0; i < shape.rank(); ++i) all.push_back(i);
    axes = python_integers(g, all, DType::kInt32, "Const");
  } else {
    axes = python_range(g, 0, python_rank_of(g, g.grad()));
  }
  const Endpoint sum = g.op("Sum", {g.grad(), axes}, {{"keep_dims", false}});
  sum.node->merge_output_shape(0, Shape());
  return {{}, sum};
}

// ---- ZerosLike, OnesLike

std::unique_ptr<Kernel> fill_output(PrepareContext& context, Array value) {
  check_movable(context, value.dtype());
  const int64_t count = context.output_shape(0).num_elements();
  return make_kernel([count, value = std::move(value)](const KernelCall& call) {
    fill_words(value.dtype(), value.raw_data(), call.out<void>(0), count, call.parallel());
  });
}

std::unique_ptr<Kernel> prepare_zeros_like(PrepareContext& context) {
  const DType dtype = context.output_dtype(0);
  if (dtype == DType::kVariant) {
    if (context.input_value(0) == nullptr) throw graph::UnknownValue("What is in a variant shows in the run");
    return make_kernel(
        [](const KernelCall& call) { *call.out<Array>(0) = zeros_like_variant(*call.in<Array>(0)); });
  }
  check_movable(context, dtype);
  return fill_output(context, Array(dtype, Shape()));
}

std::unique_ptr<Kernel> prepare_ones_like(PrepareContext& context) {
  return fill_output(context, Array(int32_t{1}).astype(context.output_dtype(0)));
}

// ---- NoOp

std::unique_ptr<Kernel> prepare_nothing(PrepareContext&) {
  return make_kernel([](const KernelCall&) {});
}

constexpr graph::OpRow kArrayConstantOps[] = {
    {.name = "Const",
     .outputs = "output:dtype",
     .attrs = "value:tensor; dtype:type",
     .is_constant = true,
     .shape = const_shape,
     .not_differentiable = true,
     .prepare = prepare_const},
    {.name = "Placeholder",
     .outputs = "output:dtype",
     .attrs = "dtype:type; shape:shape=unknown",
     .shape = attr_shape,
     .prepare = prepare_placeholder},
    {.name = "PlaceholderV2",
     .outputs = "output:dtype",
     .attrs = "dtype:type; shape:shape",
     .shape = attr_shape,
     .prepare = prepare_placeholder},
    {.name = "PlaceholderWithDefault",
     .inputs = "input:dtype",
     .outputs = "output:dtype",
     .attrs = "dtype:type; shape:shape",
     .view = true,
     .is_placeholder = true,
     .shape = placeholder_with_default_shape,
     .gradient = pass_gradient},
    {.name = "Fill",
     .inputs = "dims:index_type, value:T",
     .outputs = "output:T",
     .attrs = "T:type; index_type:type=int32{indices}",
     .shape = fill_shape,
     .gradient = fill_gradient,
     .prepare = prepare_fill},
    {.name = "ZerosLike",
     .inputs = "x:T",
     .outputs = "y:T",
     .attrs = "T:type",
     .reads_shapes_only = true,
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .prepare = prepare_zeros_like},
    {.name = "OnesLike",
     .inputs = "x:T",
     .outputs = "y:T",
     .attrs = "T:type{[bfloat16,float16,float32,float64,int8,uint8,int16,uint16,int32,uint32,int64,uint64,"
              "complex64,complex128,bool]}",
     .reads_shapes_only = true,
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .prepare = prepare_ones_like},
    {.name = "NoOp", .shape = graph::no_outputs, .prepare = prepare_nothing},
    {.name = "ControlTrigger",
     .runs_after_dead = true,
     .shape = graph::no_outputs,
     .prepare = prepare_nothing},
};

}  // namespace

void register_array_constant_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayConstantOps) table.add(row);
}

}  // namespace flowray::ops
