// GatherNd: slices of an array by coordinates, ResourceGatherNd: of a variable; ResourceGather: rows of one,
// read in place.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/gather_gradient.h"
#include "ops/array/register.h"
#include "ops/elements/element_words.h"
#include "ops/elements/index_text.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/slices.h"
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

using CoordinateTypes = TypeList<int16_t, int32_t, int64_t>;

// ---- GatherNd

void set_shape_of_slices(ShapeContext& context, const Shape& params) {
  const Shape indices = context.with_rank_at_least(1, 1);
  if (context.running() && params.rank() < 1) ShapeContext::fail("params must be at least a vector");
  if (!params.has_rank() || !indices.has_rank() || indices.dim(-1) < 0) return;
  if (indices.dim(-1) > params.rank()) {
    if (!context.running()) ShapeContext::fail("indices.shape[-1] must be <= params.rank");
    ShapeContext::fail(fmt::format("index innermost dimension length must be <= params rank; saw: {} vs. {}",
                                   indices.dim(-1), params.rank()));
  }
  if (context.running() && params.num_elements() == 0 && indices.num_elements() > 0 && indices.dim(-1) > 0) {
    ShapeContext::fail("Requested more than 0 entries, but params is empty.  Params shape: " +
                       params.to_string());
  }
  const auto depth = static_cast<int>(indices.dim(-1));  // size: at most the rank
  context.set_output(
      0, part_of(indices, 0, indices.rank() - 1).concatenate(part_of(params, depth, params.rank())));
}

void gather_nd_shape(ShapeContext& context) { set_shape_of_slices(context, context.input(0)); }

template <class W, class Index>
void copy_slices(const Slices& slices, const std::string& node, const W* params, const Index* indices,
                 W* output) {
  for (int64_t i = 0; i < slices.count; ++i) {
    const auto number = slices.find(indices, i);
    if (!number) {
      throw errors::InvalidArgumentError(
          fmt::format("indices[{}] = {} does not index into param shape {}, node name: {}", i,
                      slices.coordinate_text(indices, i), slices.shape.to_string(), node));
    }
    copy_words(params + *number * slices.slice, output + i * slices.slice, slices.slice);
  }
}

template <class W, class Index>
std::unique_ptr<Kernel> gather_nd_kernel(const Slices& slices, const std::string& node) {
  return make_kernel([slices, node](const KernelCall& call) {
    copy_slices(slices, node, call.in<W>(0), call.in<Index>(1), call.out<W>(0));
  });
}

std::unique_ptr<Kernel> prepare_gather_nd(PrepareContext& context) {
  const Slices slices(context.input_shape(0), context.input_shape(1));
  return kernel_for_dtype<CoordinateTypes>(context, context.input_dtype(1), [&]<class Index>() {
    std::unique_ptr<Kernel> kernel;
    const bool movable = dispatch_words(context.input_dtype(0), [&]<class W>() {
      kernel = gather_nd_kernel<W, Index>(slices, context.node_name());
    });
    if (!movable) context.no_kernel_for(context.input_dtype(0));
    return kernel;
  });
}

std::vector<Endpoint> gather_nd_gradient(GradientContext& g) {
  const DType dtype = base_dtype(g.input(1).dtype());
  const Endpoint shape = g.op("Shape", {g.input(0)}, {{"out_type", dtype}});
  return {g.op("ScatterNd", {g.input(1), g.grad(), shape}), {}};
}

// ---- ResourceGather

void resource_gather_shape(ShapeContext& context) {
  const Shape params = context.value_as_shape(0);
  const Shape& indices = context.input(1);
  if (context.attrs().get<int64_t>("batch_dims") != 0) {
    throw errors::UnimplementedError(
        "ResourceGather with batch_dims is not there yet; read the variable and gather from that");
  }
  if (!params.has_rank() || !indices.has_rank()) return;
  if (params.rank() < 1) ShapeContext::fail("params must be at least 1 dimensional");
  context.set_output(0, indices.concatenate(part_of(params, 1, params.rank())));
}

template <class W, class Index>
std::unique_ptr<Kernel> resource_gather_kernel(PrepareContext& context) {
  return make_kernel([dtype = context.output_dtype(0), indices_shape = context.input_shape(1),
                      shape = context.output_shape(0)](const KernelCall& call) {
    const Array params = call.variable(0).read();
    const Shape row = params.rank() > 0 ? part_of(params.shape(), 1, params.rank()) : Shape();
    if (params.dtype() != dtype || !(indices_shape.concatenate(row) == shape)) {
      throw errors::InvalidArgumentError(fmt::format("Variable {} is {} {}: rows for {} were expected",
                                                     call.variable(0).name(), dtype_name(params.dtype()),
                                                     params.shape().to_string(), shape.to_string()));
    }
    const auto* rows = static_cast<const W*>(params.raw_data());
    const int64_t size = row.num_elements();
    const auto* indices = call.in<Index>(1);
    for (int64_t i = 0; i < indices_shape.num_elements(); ++i) {
      const int64_t index = indices[i];
      if (index < 0 || index >= params.dim(0)) {
        throw errors::InvalidArgumentError(fmt::format(
            "indices{} = {} is not in [0, {})", position_text(indices_shape, i), index, params.dim(0)));
      }
      copy_words(rows + index * size, call.out<W>(0) + i * size, size);
    }
  });
}

/// resource_variable_ops.variable_shape: a Const where the variable's shape is known.
Endpoint python_variable_shape(GradientContext& g, Endpoint handle) {
  const Shape shape = graph::handle_shape(handle);
  if (!shape.is_fully_defined()) return g.op("VariableShape", {handle}, {{"out_type", DType::kInt32}});
  return python_integers(g, {shape.dims().begin(), shape.dims().end()}, DType::kInt32, "Const");
}

std::vector<Endpoint> resource_gather_gradient(GradientContext& g) {
  const Endpoint shape = python_variable_shape(g, g.input(0));
  return {dense_from_slices(g, shape, vector_of_size(g, g.input(1))), {}};
}

std::unique_ptr<Kernel> prepare_resource_gather(PrepareContext& context) {
  return kernel_for_dtype<IndexTypes>(context, context.input_dtype(1), [&]<class Index>() {
    std::unique_ptr<Kernel> kernel;
    const bool movable = dispatch_words(
        context.output_dtype(0), [&]<class W>() { kernel = resource_gather_kernel<W, Index>(context); });
    if (!movable) context.no_kernel_for(context.output_dtype(0));
    return kernel;
  });
}

// ---- ResourceGatherNd

void resource_gather_nd_shape(ShapeContext& context) {
  set_shape_of_slices(context, context.value_as_shape(0));
}

template <class W, class Index>
std::unique_ptr<Kernel> resource_gather_nd_kernel(PrepareContext& context) {
  return make_kernel([dtype = context.output_dtype(0), indices_shape = context.input_shape(1),
                      shape = context.output_shape(0), node = context.node_name()](const KernelCall& call) {
    const Array params = call.variable(0).read();
    const auto depth = static_cast<int>(indices_shape.dim(-1));  // size: looked at next
    const bool is_as_planned = params.dtype() == dtype && depth <= params.rank() &&
                               part_of(indices_shape, 0, indices_shape.rank() - 1)
                                       .concatenate(part_of(params.shape(), depth, params.rank())) == shape;
    if (!is_as_planned) {
      throw errors::InvalidArgumentError(fmt::format("Variable {} is {} {}: slices for {} were expected",
                                                     call.variable(0).name(), dtype_name(params.dtype()),
                                                     params.shape().to_string(), shape.to_string()));
    }
    copy_slices(Slices(params.shape(), indices_shape), node, static_cast<const W*>(params.raw_data()),
                call.in<Index>(1), call.out<W>(0));
  });
}

std::unique_ptr<Kernel> prepare_resource_gather_nd(PrepareContext& context) {
  return kernel_for_dtype<IndexTypes>(context, context.input_dtype(1), [&]<class Index>() {
    std::unique_ptr<Kernel> kernel;
    const bool movable = dispatch_words(
        context.output_dtype(0), [&]<class W>() { kernel = resource_gather_nd_kernel<W, Index>(context); });
    if (!movable) context.no_kernel_for(context.output_dtype(0));
    return kernel;
  });
}

std::vector<Endpoint> resource_gather_nd_gradient(GradientContext& g) {
  const Endpoint indices = g.input(1);
  const Endpoint shape = g.op("VariableShape", {g.input(0)}, {{"out_type", base_dtype(indices.dtype())}});
  return {g.op("ScatterNd", {indices, g.grad(), shape}), {}};
}

constexpr graph::OpRow kGatherNdOps[] = {
    {.name = "GatherNd",
     .inputs = "params:Tparams, indices:Tindices",
     .outputs = "output:Tparams",
     .attrs = "Tparams:type; Tindices:type{indices_and_int16}; bad_indices_policy:string=\"\"",
     .shape = gather_nd_shape,
     .gradient = gather_nd_gradient,
     .prepare = prepare_gather_nd},
    {.name = "ResourceGather",
     .inputs = "resource:resource, indices:Tindices",
     .outputs = "output:dtype",
     .attrs = "batch_dims:int=0; validate_indices:bool=true; dtype:type; Tindices:type{indices}",
     .stateful = true,
     .shape = resource_gather_shape,
     .gradient = resource_gather_gradient,
     .prepare = prepare_resource_gather},
    {.name = "ResourceGatherNd",
     .inputs = "resource:resource, indices:Tindices",
     .outputs = "output:dtype",
     .attrs = "dtype:type; Tindices:type{indices}",
     .stateful = true,
     .shape = resource_gather_nd_shape,
     .gradient = resource_gather_nd_gradient,
     .prepare = prepare_resource_gather_nd},
};

}  // namespace

void register_gather_nd_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kGatherNdOps) table.add(row);
}

}  // namespace flowray::ops
