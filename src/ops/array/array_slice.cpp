// Slice: a block of an array.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/shape_parts.h"
#include "ops/elements/strided_copy.h"
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

void check_block(int i, int64_t begin, int64_t size, int64_t dim) {
  if (dim == 0 && (begin != 0 || size != 0)) {
    ShapeContext::fail(fmt::format(
        "Expected begin[{0}] == 0 (got {1}) and size[{0}] == 0 (got {2}) when input.dim_size({0}) == 0", i,
        begin, size));
  }
  if (begin < 0 || begin > dim) {
    ShapeContext::fail(fmt::format("Expected begin[{}] in [0, {}], but got {}", i, dim, begin));
  }
  if (size < 0 || size > dim - begin) {
    ShapeContext::fail(fmt::format("Expected size[{}] in [0, {}], but got {}", i, dim - begin, size));
  }
}

void slice_in_step(ShapeContext& context) {
  const Shape& in = context.input(0);
  const int64_t rank = in.rank();
  for (int i = 1; i <= 2; ++i) {
    if (context.input(i).rank() != 1 || context.input(i).dim(0) != rank) {
      ShapeContext::fail(fmt::format(
          "Expected begin and size arguments to be 1-D tensors of size {}, but got shapes {} and {} instead.",
          rank, context.input(1).to_string(), context.input(2).to_string()));
    }
  }
  const std::vector<int64_t> begin = context.integers(1);
  std::vector<int64_t> size = context.integers(2);
  for (int i = 0; i < rank; ++i) {
    const auto at = static_cast<size_t>(i);
    // What begins before the array is refused, with the size that it would have.
    if (size[at] == -1 && begin[at] <= in.dim(i)) size[at] = wrapping_subtract(in.dim(i), begin[at]);
    check_block(i, begin[at], size[at], in.dim(i));
  }
  context.set_output(0, Shape(size));
}

/// While a graph is built; bounds are left to the step, but for a block that ends before it begins.
void slice_shape(ShapeContext& context) {
  if (context.running()) return slice_in_step(context);
  const Shape lengths = merge_shapes(context.with_rank(1, 1), context.with_rank(2, 1));
  const Shape begin = context.value_as_shape(1);
  const Shape size = context.value_as_shape(2);
  const int64_t rank = lengths.dim(0) >= 0 ? lengths.dim(0) : context.input(0).rank();
  if (rank < 0) return;
  const Shape in = context.with_rank(0, rank);
  Shape out = Shape::of_rank(rank);
  for (int i = 0; i < rank && size.has_rank(); ++i) {
    out.set_dim(i, size.dim(i));
    const bool to_the_end = context.value(2) != nullptr && size.dim(i) < 0;
    if (!to_the_end || !begin.has_rank() || begin.dim(i) < 0 || in.dim(i) < 0) continue;
    if (begin.dim(i) > in.dim(i)) {
      ShapeContext::fail(
          fmt::format("Negative dimension size caused by subtracting {} from {}", begin.dim(i), in.dim(i)));
    }
    out.set_dim(i, in.dim(i) - begin.dim(i));
  }
  context.set_output(0, out);
}

/// The sizes are the output's; where the block begins may be known in the run only.
std::unique_ptr<Kernel> prepare_slice(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const Shape in = context.input_shape(0);
  const Shape out = context.output_shape(0);
  const DType index_dtype = context.input_dtype(1);
  if (index_dtype != DType::kInt32 && index_dtype != DType::kInt64) context.no_kernel_for(index_dtype);
  const std::vector<int64_t> from = dense_strides(in);
  const std::vector<int64_t> to = dense_strides(out);
  std::vector<StridedCopy::Dim> dims;
  for (int i = 0; i < in.rank(); ++i) {
    dims.push_back({out.dim(i), from[static_cast<size_t>(i)], to[static_cast<size_t>(i)]});
  }
  return make_kernel([in, out, from, index_dtype, copy = StridedCopy(dtype, dims),
                      size = dtype_size(dtype)](const KernelCall& call) {
    int64_t offset = 0;
    for (int i = 0; i < in.rank(); ++i) {
      const int64_t begin = index_dtype == DType::kInt32 ? call.in<int32_t>(1)[i] : call.in<int64_t>(1)[i];
      check_block(i, begin, out.dim(i), in.dim(i));
      offset += begin * from[static_cast<size_t>(i)];
    }
    copy.run(call.in<char>(0) + offset * static_cast<int64_t>(size), call.out<void>(0), call.parallel());
  });
}

/// Pads the gradient with zeros to the input's shape.
std::vector<Endpoint> slice_gradient(GradientContext& g) {
  const Endpoint begin = g.input(1);
  const DType index_dtype = base_dtype(begin.dtype());
  const Endpoint rank = python_rank_of(g, g.input(0));
  const Endpoint size = python_shape_of_type(g, g.output(0), index_dtype);
  const Endpoint column = python_list(g, {rank, 1}, DType::kInt32, "stack");
  const Endpoint before = g.op("Reshape", {begin, column});
  const Endpoint whole = python_shape_of_type(g, g.input(0), index_dtype);
  const Endpoint rest = g.op("Sub", {whole, size}, {}, "sub");
  const Endpoint behind = g.op("Sub", {rest, begin}, {}, "sub");
  const Endpoint after = g.op("Reshape", {behind, column});
  const Endpoint paddings = python_concat_lists(g, {before, after}, 1);
  return {g.op("Pad", {g.grad(), paddings}), {}, {}};
}

constexpr graph::OpRow kArraySliceOps[] = {
    {.name = "Slice",
     .inputs = "input:T, begin:Index, size:Index",
     .outputs = "output:T",
     .attrs = "T:type; Index:type{indices}",
     .shape = slice_shape,
     .gradient = slice_gradient,
     .prepare = prepare_slice},
};

}  // namespace

void register_array_slice_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArraySliceOps) table.add(row);
}

}  // namespace flowray::ops
