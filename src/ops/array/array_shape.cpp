// Shape, ShapeN, Size, Rank: what is known of an array without looking at its elements. Identity and its kin,
// which show the elements unchanged.

#include "core/dtype_dispatch.h"
#include "graph/dims_context.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/strided_copy.h"

#include <fmt/format.h>

#include <limits>

namespace flowray::ops {
namespace {

using graph::DimsContext;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- Shape, ShapeN, Size, Rank

void shapes_shape(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    const int rank = context.input(i).rank();
    context.set_output(i, Shape{rank < 0 ? Shape::kUnknownDim : rank});
  }
}

Shape dims_of_shapes(const DimsContext& context) { return context.input_shape(context.output()); }

void check_fits_int32(int64_t value, const std::string& what) {
  if (value > std::numeric_limits<int32_t>::max()) {
    throw errors::InvalidArgumentError(what + std::to_string(value));
  }
}

/// Writes lists of numbers that are known when the kernel is made, one list an output, as int32 or int64.
std::unique_ptr<Kernel> write_integers(PrepareContext& context, std::vector<std::vector<int64_t>> lists) {
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<IndexTypes>(context.output_dtype(0), [&]<class T>() {
    kernel = make_kernel([lists = std::move(lists)](const KernelCall& call) {
      for (size_t i = 0; i < lists.size(); ++i) {
        T* out = call.out<T>(static_cast<int>(i));
        for (const int64_t value : lists[i]) *out++ = static_cast<T>(value);
      }
    });
  });
  if (!known) context.no_kernel_for(context.output_dtype(0));
  return kernel;
}

std::unique_ptr<Kernel> prepare_shapes(PrepareContext& context) {
  std::vector<std::vector<int64_t>> lists;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const Shape& shape = context.input_shape(i);
    lists.emplace_back(shape.begin(), shape.end());
    for (int d = 0; d < shape.rank() && context.output_dtype(0) == DType::kInt32; ++d) {
      check_fits_int32(shape.dim(d), fmt::format("{} output type is 32-bit  but dim {} is ",
                                                 context.schema().name == "ShapeN" ? "shapen" : "shape", d));
    }
  }
  return write_integers(context, std::move(lists));
}

std::unique_ptr<Kernel> prepare_size(PrepareContext& context) {
  const int64_t size = context.input_shape(0).num_elements();
  if (context.output_dtype(0) == DType::kInt32) {
    check_fits_int32(size, "Number of elements was larger than representable by 32-bit output type: ");
  }
  return write_integers(context, {{size}});
}

std::unique_ptr<Kernel> prepare_rank(PrepareContext& context) {
  return write_integers(context, {{context.input_shape(0).rank()}});
}

// ---- Identity and its kin

Shape dims_unchanged(const DimsContext& context) { return context.dims(0); }

std::vector<Endpoint> pass_gradients(GradientContext& g) {
  return std::vector<Endpoint>(g.grads().begin(), g.grads().end());
}

std::vector<Endpoint> forbidden_gradient(GradientContext& g) {
  throw Error("Gradient explicitly disabled. Reason: " + g.attrs().get<std::string>("message"));
}

void each_unchanged(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, context.input(i));
}

std::unique_ptr<Kernel> prepare_identity_n(PrepareContext& context) {
  std::vector<StridedCopy> copies;
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (dtype_size(context.input_dtype(i)) == 0) context.no_kernel_for(context.input_dtype(i));
    const StridedCopy::Dim whole{context.input_shape(i).num_elements(), 1, 1};
    copies.emplace_back(context.input_dtype(i), std::span(&whole, 1));
  }
  return make_kernel([copies = std::move(copies)](const KernelCall& call) {
    for (int i = 0; i < static_cast<int>(copies.size()); ++i) {
      copies[static_cast<size_t>(i)].run(call.in<void>(i), call.out<void>(i), call.parallel());
    }
  });
}

void ensure_shape(ShapeContext& context) {
  const Shape& expected = context.attrs().get<Shape>("shape");
  const Shape& shape = context.input(0);
  if (!context.running()) return context.set_output(0, merge_shapes(expected, shape));
  if (!expected.is_compatible_with(shape)) {
    ShapeContext::fail(fmt::format("Shape of tensor {} is not compatible with expected shape {}.",
                                   shape.to_string(), expected.to_string()));
  }
  context.set_output(0, shape);
}

constexpr graph::OpRow kArrayShapeOps[] = {
    {.name = "Shape",
     .inputs = "input:T",
     .outputs = "output:out_type",
     .attrs = "T:type; out_type:type=int32{indices}",
     .reads_shapes_only = true,
     .shape = shapes_shape,
     .dims = dims_of_shapes,
     .not_differentiable = true,
     .prepare = prepare_shapes},
    {.name = "ShapeN",
     .inputs = "input:N*T",
     .outputs = "output:N*out_type",
     .attrs = "N:int>=1; T:type; out_type:type=int32{indices}",
     .reads_shapes_only = true,
     .shape = shapes_shape,
     .dims = dims_of_shapes,
     .not_differentiable = true,
     .prepare = prepare_shapes},
    {.name = "Size",
     .inputs = "input:T",
     .outputs = "output:out_type",
     .attrs = "T:type; out_type:type=int32{indices}",
     .reads_shapes_only = true,
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .prepare = prepare_size},
    {.name = "Rank",
     .inputs = "input:T",
     .outputs = "output:int32",
     .attrs = "T:type",
     .reads_shapes_only = true,
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .prepare = prepare_rank},
    {.name = "Identity",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type",
     .view = true,
     .shape = graph::unchanged_shape,
     .dims = dims_unchanged,
     .gradient = pass_gradients},
    {.name = "IdentityN",
     .inputs = "input:[T]",
     .outputs = "output:[T]",
     .attrs = "T:list(type)>=1",
     .shape = each_unchanged,
     .gradient = pass_gradients,
     .prepare = prepare_identity_n},
    {.name = "StopGradient",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type",
     .view = true,
     .shape = graph::unchanged_shape,
     .not_differentiable = true},
    {.name = "PreventGradient",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type; message:string=\"\"",
     .view = true,
     .shape = graph::unchanged_shape,
     .gradient = forbidden_gradient},
    {.name = "EnsureShape",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "shape:shape; T:type",
     .checks = true,
     .view = true,
     .shape = ensure_shape,
     .gradient = pass_gradients},
};

}  // namespace

void register_array_shape_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayShapeOps) table.add(row);
}

}  // namespace flowray::ops
