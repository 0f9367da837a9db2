// GatherNd and ScatterNd: slices of an array by coordinates; ResourceGather: rows of a variable, read in
// place.

#include "graph/gradient_context.h"
#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array_ops.h"
#include "ops/dtype_lists.h"
#include "ops/element_words.h"
#include "ops/index_text.h"
#include "ops/kernel_for_dtype.h"
#include "ops/shape_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

/// Dimensions [begin, end).
Shape part_of(const Shape& shape, int begin, int end) {
  return Shape(shape.dims().subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

/// An array as slices that coordinates name: `indices` holds a coordinate in each row of its last dimension.
struct Slices {
  Shape shape;  // the array's
  int depth;    // numbers in a coordinate
  int64_t count;
  int64_t slice;  // elements of a slice

  Slices(const Shape& array, const Shape& indices)
      : shape(array),
        depth(static_cast<int>(indices.dim(-1))),
        count(elements_between(indices, 0, indices.rank() - 1)),
        slice(elements_between(array, depth, array.rank())) {}

  /// The number of the slice at coordinate `i`; none if there is no such one.
  template <class Index>
  std::optional<int64_t> find(const Index* indices, int64_t i) const {
    int64_t number = 0;
    for (int d = 0; d < depth; ++d) {
      const auto index = static_cast<int64_t>(indices[i * depth + d]);
      if (index < 0 || index >= shape.dim(d)) return std::nullopt;
      number = number * shape.dim(d) + index;
    }
    return number;
  }

  template <class Index>
  std::string coordinate_text(const Index* indices, int64_t i) const {
    return fmt::format("[{}]", fmt::join(indices + i * depth, indices + (i + 1) * depth, ", "));
  }
};

using CoordinateTypes = TypeList<int16_t, int32_t, int64_t>;

// ---- GatherNd

void gather_nd_shape(ShapeContext& context) {
  const Shape& params = context.input(0);
  const Shape indices = context.with_rank_at_least(1, 1);
  if (context.running() && params.rank() < 1) ShapeContext::fail("params must be at least a vector");
  if (!params.has_rank() || !indices.has_rank() || indices.dim(-1) < 0) return;
  if (indices.dim(-1) > params.rank()) {
    if (!context.running()) ShapeContext::fail("indices.shape[-1] must be <= params.rank");
    ShapeContext::fail(fmt::format(
        "indices.shape[-1] must be <= params.rank, but saw indices shape: {} and params shape: {}",
        indices.to_string(), params.to_string()));
  }
  context.set_output(0, part_of(indices, 0, indices.rank() - 1)
                            .concatenate(part_of(params, static_cast<int>(indices.dim(-1)), params.rank())));
}

template <class W, class Index>
std::unique_ptr<Kernel> gather_nd_kernel(const Slices& slices, const std::string& node) {
  return make_kernel([slices, node](const KernelCall& call) {
    const auto* indices = call.in<Index>(1);
    for (int64_t i = 0; i < slices.count; ++i) {
      const auto number = slices.find(indices, i);
      if (!number) {
        throw errors::InvalidArgumentError(
            fmt::format("indices[{}] = {} does not index into param shape {}, node name: {}", i,
                        slices.coordinate_text(indices, i), slices.shape.to_string(), node));
      }
      copy_words(call.in<W>(0) + *number * slices.slice, call.out<W>(0) + i * slices.slice, slices.slice);
    }
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

// ---- ScatterNd

void scatter_nd_shape(ShapeContext& context) {
  const Shape shape = context.value_as_shape(2);
  const Shape indices = context.with_rank_at_least(0, 1);
  const Shape& updates = context.input(1);
  context.set_output(0, shape);
  if (!shape.has_rank() || !indices.has_rank() || !updates.has_rank() || indices.dim(-1) < 0) return;
  const int depth = static_cast<int>(indices.dim(-1));
  if (depth > shape.rank()) {
    ShapeContext::fail(
        fmt::format("The inner {} dimensions of output.shape={} must match the inner dimensions of "
                    "updates.shape={}",
                    depth, shape.to_string(), updates.to_string()));
  }
  const Shape expected =
      part_of(indices, 0, indices.rank() - 1).concatenate(part_of(shape, depth, shape.rank()));
  if (!expected.is_compatible_with(updates)) {
    ShapeContext::fail(
        fmt::format("Dimensions [0,{}) of indices[shape={}] must match dimensions [0,{}) of "
                    "updates[shape={}]",
                    indices.rank() - 1, indices.to_string(), indices.rank() - 1, updates.to_string()));
  }
}

template <class T, class Index>
std::unique_ptr<Kernel> scatter_nd_kernel(const Slices& slices) {
  return make_kernel([slices](const KernelCall& call) {
    const auto* indices = call.in<Index>(0);
    T* out = call.out<T>(0);
    std::fill_n(out, slices.shape.num_elements(), T(0));
    for (int64_t i = 0; i < slices.count; ++i) {
      const auto number = slices.find(indices, i);
      if (!number) {
        throw errors::InvalidArgumentError(fmt::format("indices[{}] = {} does not index into shape {}", i,
                                                       slices.coordinate_text(indices, i),
                                                       slices.shape.to_string()));
      }
      const T* from = call.in<T>(1) + i * slices.slice;
      T* to = out + *number * slices.slice;
      for (int64_t k = 0; k < slices.slice; ++k) to[k] = static_cast<T>(to[k] + from[k]);
    }
  });
}

std::unique_ptr<Kernel> prepare_scatter_nd(PrepareContext& context) {
  const Slices slices(context.output_shape(0), context.input_shape(0));
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(1), [&]<class T>() {
    return kernel_for_dtype<CoordinateTypes>(
        context, context.input_dtype(0), [&]<class Index>() { return scatter_nd_kernel<T, Index>(slices); });
  });
}

std::vector<Endpoint> scatter_nd_gradient(GradientContext& g) {
  return {{}, g.op("GatherNd", {g.grad(), g.input(0)}), {}};
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
      if (indices[i] < 0 || indices[i] >= params.dim(0)) {
        throw errors::InvalidArgumentError(fmt::format(
            "indices{} = {} is not in [0, {})", position_text(indices_shape, i), indices[i], params.dim(0)));
      }
      copy_words(rows + indices[i] * size, call.out<W>(0) + i * size, size);
    }
  });
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

}  // namespace

void register_gather_nd_ops(graph::OpTable& table) {
  table.add({.name = "GatherNd",
             .inputs = "params:Tparams, indices:Tindices",
             .outputs = "output:Tparams",
             .attrs = "Tparams:type; Tindices:type{[int16,int32,int64]}; bad_indices_policy:string=\"\"",
             .shape = gather_nd_shape,
             .gradient = gather_nd_gradient,
             .prepare = prepare_gather_nd});
  table.add({.name = "ScatterNd",
             .inputs = "indices:Tindices, updates:T, shape:Tindices",
             .outputs = "output:T",
             .attrs = "T:type; Tindices:type{[int16,int32,int64]}; bad_indices_policy:string=\"\"",
             .shape = scatter_nd_shape,
             .gradient = scatter_nd_gradient,
             .prepare = prepare_scatter_nd});
  table.add(
      {.name = "ResourceGather",
       .inputs = "resource:resource, indices:Tindices",
       .outputs = "output:dtype",
       .attrs = "batch_dims:int=0; validate_indices:bool=true; dtype:type; Tindices:type" FLOWRAY_INDICES,
       .stateful = true,
       .shape = resource_gather_shape,
       .prepare = prepare_resource_gather});
}

}  // namespace flowray::ops
