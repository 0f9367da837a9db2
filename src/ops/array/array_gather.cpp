// Gather and GatherV2: rows of an array by their numbers.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "graph/constant_value.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/gather_gradient.h"
#include "ops/array/register.h"
#include "ops/elements/element_words.h"
#include "ops/elements/index_text.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/shape_parts.h"
#include "ops/python_nodes/indexed_slices.h"
#include "ops/python_nodes/python_array_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::NameScope;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- Shapes

/// What Gather and GatherV2 agree on: out = params[:axis] + indices[batch_dims:] + params[axis + 1:].
Shape gathered_shape(const Shape& params, const Shape& indices, int axis, int batch_dims) {
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(params.dim(i));
  for (int i = batch_dims; i < indices.rank(); ++i) out.push_back(indices.dim(i));
  for (int i = axis + 1; i < params.rank(); ++i) out.push_back(params.dim(i));
  return out;
}

void gather_shape(ShapeContext& context) {
  const Shape& params = context.input(0);
  const Shape& indices = context.input(1);
  if (context.running() && params.rank() < 1) ShapeContext::fail("params must be at least 1 dimensional");
  context.with_rank_at_least(0, 1);
  if (params.has_rank() && indices.has_rank()) context.set_output(0, gathered_shape(params, indices, 0, 0));
}

/// Checks of the kernel that the shape function does not make.
void check_gather_in_step(const ShapeContext& context) {
  const Shape& params = context.input(0);
  const Shape& indices = context.input(1);
  if (context.input(2).num_elements() != 1 || context.input(2).rank() != 0)
    ShapeContext::fail("axis must be scalar");
  if (params.rank() < 1) ShapeContext::fail("params must be at least 1 dimensional");
  const int64_t given = context.attrs().get<int64_t>("batch_dims");
  if (given < -indices.rank() || given > indices.rank()) {
    ShapeContext::fail(
        fmt::format("Expected batch_dims in the range [-{0}, {0}], but got {1}", indices.rank(), given));
  }
}

void check_batch_in_step(const Shape& params, const Shape& indices, int axis, int batch_dims) {
  if (batch_dims >= params.rank()) {
    ShapeContext::fail(
        fmt::format("batch_dims ({}) must be less than rank(params) ({}).", batch_dims, params.rank()));
  }
  if (axis < batch_dims) {
    ShapeContext::fail(
        fmt::format("batch_dims ({}) must be less than or equal to axis ({}).", batch_dims, axis));
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      ShapeContext::fail(fmt::format("params.shape[{0}]: {1} should be equal to indices.shape[{0}]: {2}", i,
                                     params.dim(i), indices.dim(i)));
    }
  }
}

void gather_v2_shape(ShapeContext& context) {
  if (context.running()) check_gather_in_step(context);
  const Shape params = context.with_rank_at_least(0, 1);
  const Shape& indices = context.input(1);
  context.with_rank(2, 0);
  int64_t batch_dims = checked_int32("Attr batch_dims", context.attrs().get<int64_t>("batch_dims"));
  context.with_rank_at_least(1, batch_dims < 0 ? -batch_dims : batch_dims);
  if (batch_dims < 0 && !indices.has_rank()) return;
  batch_dims += batch_dims < 0 ? indices.rank() : 0;
  context.with_rank_at_least(0, batch_dims + 1);
  if (context.value(2) == nullptr) {
    if (!params.has_rank() || !indices.has_rank()) return;
    const int rank = params.rank() - 1 + indices.rank() - static_cast<int>(batch_dims);
    return context.set_output(0, Shape::of_rank(rank));
  }
  const int64_t given = context.integers(2)[0];
  context.with_rank_at_least(0, given < 0 ? checked(0) - given : checked(given) + 1);
  if (!params.has_rank() || !indices.has_rank()) return;
  const int axis = static_cast<int>(given < 0 ? given + params.rank() : given);
  if (context.running()) check_batch_in_step(params, indices, axis, static_cast<int>(batch_dims));
  context.set_output(0, gathered_shape(params, indices, axis, static_cast<int>(batch_dims)));
}

// ---- Kernel

/// params as [batch, outer, dim, inner], indices as [batch, count], output as [batch, outer, count, inner].
struct GatherSizes {
  int64_t batch;
  int64_t outer;
  int64_t dim;
  int64_t inner;
  int64_t count;
  Shape indices;

  GatherSizes(const Shape& params, const Shape& indices_shape, int axis, int batch_dims)
      : batch(elements_between(params, 0, batch_dims)),
        outer(elements_between(params, batch_dims, axis)),
        dim(params.dim(axis)),
        inner(elements_between(params, axis + 1, params.rank())),
        count(elements_between(indices_shape, batch_dims, indices_shape.rank())),
        indices(indices_shape) {}
};

template <class Index>
void check_indices(const GatherSizes& sizes, const Index* indices) {
  const int64_t total = sizes.indices.num_elements();
  using Unsigned = std::make_unsigned_t<Index>;
  for (int64_t i = 0; i < total; ++i) {
    // One comparison for both ends: negative indices become huge.
    if (static_cast<uint64_t>(static_cast<Unsigned>(indices[i])) < static_cast<uint64_t>(sizes.dim) &&
        indices[i] >= 0) {
      continue;
    }
    throw errors::InvalidArgumentError(fmt::format("indices{} = {} is not in [0, {})",
                                                   position_text(sizes.indices, i), indices[i], sizes.dim));
  }
}

/// Rows [begin, end) of the output, of which there are batch * outer * count.
template <class W, class Index>
void gather_rows(const GatherSizes& sizes, const W* params, const Index* indices, W* out, int64_t begin,
                 int64_t end) {
  int64_t block = begin / sizes.count;
  int64_t i = begin % sizes.count;
  for (int64_t row = begin; row < end;) {
    const W* const from = params + block * sizes.dim * sizes.inner;
    const Index* const picks = indices + block / sizes.outer * sizes.count;
    const int64_t stop = std::min(sizes.count, i + (end - row));
    if (sizes.inner == 1) {
      for (int64_t k = i; k < stop; ++k) out[row + k - i] = from[picks[k]];
    } else {
      for (int64_t k = i; k < stop; ++k) {
        copy_words(from + picks[k] * sizes.inner, out + (row + k - i) * sizes.inner, sizes.inner);
      }
    }
    row += stop - i;
    i = 0;
    ++block;
  }
}

template <class W, class Index>
std::unique_ptr<Kernel> gather_kernel(const GatherSizes& sizes) {
  return make_kernel([sizes](const KernelCall& call) {
    constexpr int64_t kMinBytesPerWorker = 65536;
    const Index* const indices = call.in<Index>(1);
    const W* const params = call.in<W>(0);
    W* const out = call.out<W>(0);
    if (sizes.batch == 0 || sizes.outer == 0 || sizes.count == 0) return;
    check_indices(sizes, indices);
    if (sizes.inner == 0) return;
    const int64_t rows = sizes.batch * sizes.outer * sizes.count;
    const int64_t min_rows = kMinBytesPerWorker / (sizes.inner * static_cast<int64_t>(sizeof(W))) + 1;
    if (rows < 2 * min_rows) return gather_rows(sizes, params, indices, out, 0, rows);
    call.parallel().for_range(rows, min_rows, [&](int64_t begin, int64_t end, int) {
      gather_rows(sizes, params, indices, out, begin, end);
    });
  });
}

std::unique_ptr<Kernel> prepare_gather_along(PrepareContext& context, int axis, int batch_dims) {
  const GatherSizes sizes(context.input_shape(0), context.input_shape(1), axis, batch_dims);
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<IndexTypes>(context.input_dtype(1), [&]<class Index>() {
    const bool movable =
        dispatch_words(context.input_dtype(0), [&]<class W>() { kernel = gather_kernel<W, Index>(sizes); });
    if (!movable) context.no_kernel_for(context.input_dtype(0));
  });
  if (!known) context.no_kernel_for(context.input_dtype(1));
  return kernel;
}

std::unique_ptr<Kernel> prepare_gather(PrepareContext& context) {
  return prepare_gather_along(context, 0, 0);
}

std::unique_ptr<Kernel> prepare_gather_v2(PrepareContext& context) {
  const int64_t axis = context.integers(2)[0];
  const int64_t batch_dims = context.attrs().get<int64_t>("batch_dims");
  return prepare_gather_along(
      context, static_cast<int>(axis < 0 ? axis + context.input_shape(0).rank() : axis),
      static_cast<int>(batch_dims < 0 ? batch_dims + context.input_shape(1).rank() : batch_dims));
}

// ---- Gradients

Endpoint params_shape(GradientContext& g) {
  const ColocateWith with(g.graph(), g.input(0).node);  // the params may be large and elsewhere
  return python_shape_of_type(g, g.input(0), DType::kInt32);
}

}  // namespace

Endpoint vector_of_size(GradientContext& g, Endpoint indices) {
  const Endpoint size = python_size_of(g, indices);
  const NameScope scope(g.graph(), "ExpandDims");
  return g.op("ExpandDims", {size, python_scalar(g, 0, DType::kInt32, "dim")}, {}, scope.path());
}

Endpoint dense_from_slices(GradientContext& g, Endpoint shape, Endpoint num_indices) {
  const Endpoint row_shape = python_slice_between(g, shape, 1, {});
  const Endpoint values_shape = python_concat_lists(g, {num_indices, row_shape}, 0);
  const Endpoint values = g.op("Reshape", {g.grad(), values_shape});
  const Endpoint indices = g.op("Reshape", {g.input(1), num_indices});
  const Endpoint num_rows = python_element(g, shape, 0);
  return g.op("UnsortedSegmentSum", {values, indices, num_rows}, {{std::string(kSlicesMark), true}});
}

namespace {

std::vector<Endpoint> gather_gradient(GradientContext& g) {
  const Endpoint shape = params_shape(g);
  return {dense_from_slices(g, shape, vector_of_size(g, g.input(1))), {}};
}

/// Indices into the params with their batch dimensions and the gathered one made one.
Endpoint flat_batch_indices(GradientContext& g, Endpoint shape, Endpoint indices, int batch_dims) {
  Endpoint flat = indices;
  const DType dtype = base_dtype(indices.dtype());
  const Endpoint dims = dtype == DType::kInt32 ? shape : g.op("Cast", {shape}, {{"DstT", dtype}});
  Endpoint stride = python_scalar(g, 1, dtype, "ones");
  for (int dim = batch_dims; dim > 0; --dim) {
    const Endpoint size = python_element(g, dims, dim - 1);
    stride = g.op("Mul", {stride, python_element(g, dims, dim)}, {}, "mul");
    const Endpoint zero = python_scalar(g, 0, dtype, "zeros");
    const Endpoint one = python_scalar(g, 1, dtype, "ones");
    const Endpoint numbers = g.op("Range", {zero, size, one}, {}, "range");
    const Endpoint offsets = g.op("Mul", {numbers, stride}, {}, "mul");
    const auto ones = [&](IntOrTensor count) {
      const NameScope scope(g.graph(), "Tile");
      const Endpoint input = python_integers(g, {1}, DType::kInt32, "input");
      return g.op("Tile", {input, python_list(g, {count}, DType::kInt32, "multiples")}, {}, scope.path());
    };
    const Endpoint before = ones(dim - 1);
    const Endpoint rest = python_with_number(g, "Sub", python_rank_of(g, indices), dim, "sub");
    const Endpoint dim_shape = python_concat_lists(g, {before, {size}, ones(rest)}, 0);
    flat = g.op("AddV2", {flat, g.op("Reshape", {offsets, dim_shape})}, {}, "add");
  }
  return flat;
}

/// The gradient of params whose gathered dimension follows the batch dimensions.
Endpoint batch_gather_gradient(GradientContext& g, Endpoint shape, Endpoint values, int batch_dims,
                               Endpoint num_rows) {
  Endpoint indices = g.input(1);
  const Endpoint num_indices = vector_of_size(g, indices);
  if (batch_dims == 0) {
    return g.op("UnsortedSegmentSum", {values, g.op("Reshape", {indices, num_indices}), num_rows});
  }
  const Endpoint values_shape = python_shape_of_type(g, values, DType::kInt32);
  const Endpoint outer = python_slice_between(g, values_shape, {}, batch_dims);
  const Endpoint inner =
      python_slice_between(g, python_slice_between(g, values_shape, batch_dims, {}), 1, {});
  Endpoint batch_size;
  {
    const NameScope scope(g.graph(), "Prod");
    const Endpoint axis = python_integers(g, {0}, DType::kInt32, "reduction_indices");
    batch_size = g.op("Prod", {outer, axis}, {{"keep_dims", false}}, scope.path());
  }
  const Endpoint flat_shape = python_concat_lists(g, {{-1}, inner}, 0);
  num_rows = g.op("Mul", {num_rows, batch_size}, {}, "mul");
  indices = flat_batch_indices(g, shape, indices, batch_dims);
  values = g.op("Reshape", {values, flat_shape});
  indices = g.op("Reshape", {indices, num_indices});
  const Endpoint sum = g.op("UnsortedSegmentSum", {values, indices, num_rows});
  return g.op("Reshape", {sum, python_concat_lists(g, {outer, flat_shape}, 0)});
}

/// Moves the gathered dimension behind the batch dimensions, sums, and moves it back.
Endpoint gradient_along_axis(GradientContext& g, Endpoint shape, int batch_dims) {
  const Endpoint axis = g.input(2);
  const Endpoint outer = python_slice_between(g, shape, {}, axis);
  const Endpoint inner = python_slice_between(g, python_slice_between(g, shape, axis, {}), 1, {});
  const Endpoint values_shape = python_concat_lists(g, {outer, {-1}, inner}, 0);
  const Endpoint values_dims = python_size_of(g, values_shape);
  const Endpoint axis_dims = python_size_of(g, outer);
  const Endpoint batch_axes = python_range(g, 0, batch_dims);
  const Endpoint middle_axes = python_range(g, batch_dims, axis_dims);
  const Endpoint behind = python_with_number(g, "AddV2", axis_dims, 1, "add");
  const Endpoint inner_axes = python_range(g, behind, values_dims);
  const Endpoint values = g.op("Reshape", {g.grad(), values_shape});
  const Endpoint perm = python_concat_lists(g, {batch_axes, {axis_dims}, middle_axes, inner_axes}, 0);
  const Endpoint moved = g.op("Transpose", {values, perm}, {}, "transpose");
  const Endpoint moved_shape = python_gather(g, shape, perm);
  const Endpoint num_rows = python_element(g, shape, axis);
  const Endpoint grad = batch_gather_gradient(g, moved_shape, moved, batch_dims, num_rows);
  const Endpoint shifted = python_with_number(g, "AddV2", middle_axes, 1, "add");
  const Endpoint back = python_concat_lists(g, {batch_axes, shifted, {batch_dims}, inner_axes}, 0);
  return g.op("Transpose", {grad, back}, {}, "transpose");
}

std::vector<Endpoint> gather_v2_gradient(GradientContext& g) {
  const Endpoint shape = params_shape(g);
  const Endpoint num_indices = vector_of_size(g, g.input(1));
  const Array axis = graph::constant_value(g.input(2));
  int64_t batch_dims = g.attrs().get<int64_t>("batch_dims");
  if (batch_dims < 0 && !g.input(1).shape().has_rank()) {
    throw ValueError(
        fmt::format("Currently, it is unsupported to take the gradient of tf.gather when batch_dims < 0 and "
                    "the rank of the indices "
                    "is unknown. Please pass a positive batch_dims or use tf.ensure_shape to update the "
                    "shape of indices when calling "
                    "tf.gather. Got batch_dims={} and indices={}",
                    batch_dims, g.input(1).name()));
  }
  batch_dims += batch_dims < 0 ? g.input(1).shape().rank() : 0;
  if (axis.has_value() && axis.astype(DType::kInt64).item<int64_t>() == 0) {
    return {dense_from_slices(g, shape, num_indices), {}, {}};
  }
  const Endpoint grad = gradient_along_axis(g, shape, static_cast<int>(batch_dims));
  const Endpoint back = python_shape_of_type(g, g.input(0), DType::kInt32);
  return {g.op("Reshape", {grad, back}), {}, {}};
}

constexpr graph::OpRow kArrayGatherOps[] = {
    {.name = "Gather",
     .inputs = "params:Tparams, indices:Tindices",
     .outputs = "output:Tparams",
     .attrs = "validate_indices:bool=true; Tparams:type; Tindices:type{indices}",
     .shape = gather_shape,
     .gradient = gather_gradient,
     .prepare = prepare_gather},
    {.name = "GatherV2",
     .inputs = "params:Tparams, indices:Tindices, axis:Taxis",
     .outputs = "output:Tparams",
     .attrs = "batch_dims:int=0; Tparams:type; Tindices:type{indices_and_int16}; Taxis:type{indices}",
     .shape = gather_v2_shape,
     .gradient = gather_v2_gradient,
     .prepare = prepare_gather_v2},
};

}  // namespace

void register_array_gather_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayGatherOps) table.add(row);
}

}  // namespace flowray::ops
