// Tile, Pad, PadV2: an array inside of a larger one.

#include "core/checked_size.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/fill_words.h"
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
using graph::NameScope;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- Tile

void tile_in_step(ShapeContext& context) {
  const Shape& in = context.input(0);
  if (context.input(1).rank() != 1) {
    ShapeContext::fail("Expected multiples to be 1-D, but got shape " + context.input(1).to_string());
  }
  const std::vector<int64_t> multiples = context.integers(1);
  if (std::ssize(multiples) != in.rank()) {
    ShapeContext::fail(
        fmt::format("Expected multiples argument to be a vector of length {} but got length {}", in.rank(),
                    multiples.size()));
  }
  Shape out = in;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t multiple = multiples[static_cast<size_t>(i)];
    if (multiple < 0) ShapeContext::fail(fmt::format("Expected multiples[{}] >= 0, but got {}", i, multiple));
    out.set_dim(i, checked(in.dim(i)) * multiple);
  }
  context.set_output(0, out);
}

void tile_shape(ShapeContext& context) {
  if (context.running()) return tile_in_step(context);
  context.with_rank(1, 1);
  const Shape& in = context.input(0);
  const Shape multiples = context.value_as_shape(1);
  if (!in.has_rank()) {
    return context.set_output(
        0, multiples.has_rank() ? Shape::of_rank(multiples.rank()) : Shape::unknown_rank());
  }
  if (multiples.has_rank() && multiples.rank() != in.rank()) {
    ShapeContext::fail(fmt::format("Shape must be rank {} but is rank {}", in.rank(), multiples.rank()));
  }
  Shape out = Shape::of_rank(in.rank());
  for (int i = 0; i < in.rank() && multiples.has_rank(); ++i) {
    const int64_t dim = in.dim(i);
    const int64_t multiple = multiples.dim(i);
    if (dim == 0 || multiple == 0) out.set_dim(i, 0);
    if (dim > 0 && multiple > 0) out.set_dim(i, checked(dim) * multiple);
    if (multiple == 1) out.set_dim(i, dim);
  }
  context.set_output(0, out);
}

/// Each dimension is two loops: over the repetitions, which start from the same input again, and over
/// the elements.
std::unique_ptr<Kernel> prepare_tile(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const Shape& in = context.input_shape(0);
  const Shape& out = context.output_shape(0);
  const std::vector<int64_t> from = dense_strides(in);
  const std::vector<int64_t> to = dense_strides(out);
  std::vector<StridedCopy::Dim> dims;
  for (int i = 0; i < in.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t dim = in.dim(i);
    dims.push_back({dim == 0 ? 0 : out.dim(i) / dim, 0, dim * to[at]});
    dims.push_back({dim, from[at], to[at]});
  }
  return make_kernel([copy = StridedCopy(dtype, dims)](const KernelCall& call) {
    copy.run(call.in<void>(0), call.out<void>(0), call.parallel());
  });
}

/// Sums over the repetitions: the gradient as [multiple0, dim0, multiple1, dim1, ...], reduced along every
/// second axis.
std::vector<Endpoint> tile_gradient(GradientContext& g) {
  const Endpoint multiples = g.input(1);
  const Endpoint shape = python_shape_of_type(g, g.input(0), base_dtype(multiples.dtype()));
  const Endpoint stacked = g.op("Pack", {multiples, shape}, {}, "stack");
  Endpoint pairs;
  {
    const NameScope scope(g.graph(), "transpose");
    const Endpoint perm = python_integers(g, {1, 0}, DType::kInt32, "perm");
    pairs = g.op("Transpose", {stacked, perm}, {}, scope.path());
  }
  const Endpoint split_shape = python_reshape_to(g, pairs, {-1});
  const Endpoint axes = python_range(g, 0, python_size_of(g, split_shape), 2);
  const Endpoint split = g.op("Reshape", {g.grad(), split_shape});
  const Endpoint sum = g.op("Sum", {split, axes}, {{"keep_dims", false}});
  sum.node->merge_output_shape(sum.index, g.input(0).shape());
  return {sum, {}};
}

// ---- Pad, PadV2

void pad_in_step(ShapeContext& context) {
  const Shape& in = context.input(0);
  const Shape& paddings_shape = context.input(1);
  if (paddings_shape.rank() != 2 || paddings_shape.dim(1) != 2) {
    ShapeContext::fail("paddings must be a matrix with 2 columns: " + paddings_shape.to_string());
  }
  if (paddings_shape.dim(0) != in.rank()) {
    ShapeContext::fail("The first dimension of paddings must be the rank of inputs" +
                       paddings_shape.to_string() + " " + in.to_string());
  }
  if (context.num_inputs() == 3 && context.input(2).rank() != 0) {
    ShapeContext::fail("constant_values must be a scalar. Found: " + context.input(2).to_string());
  }
  const std::vector<int64_t> paddings = context.integers(1);
  Shape out = in;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t before = paddings[static_cast<size_t>(2 * i)];
    const int64_t after = paddings[static_cast<size_t>(2 * i) + 1];
    if (before < 0 || after < 0) {
      ShapeContext::fail(fmt::format("Paddings must be non-negative: {} {}", before, after));
    }
    out.set_dim(i, checked(before) + in.dim(i) + after);
  }
  context.set_output(0, out);
}

void pad_shape(ShapeContext& context) {
  if (context.running()) return pad_in_step(context);
  const Shape paddings_shape = context.with_rank(1, 2);
  if (paddings_shape.dim(1) >= 0 && paddings_shape.dim(1) != 2) {
    ShapeContext::fail(fmt::format("Dimension must be 2 but is {}", paddings_shape.dim(1)));
  }
  Shape in = context.input(0);
  if (paddings_shape.dim(0) >= 0) in = context.with_rank(0, paddings_shape.dim(0));
  if (!in.has_rank()) return;
  if (context.value(1) == nullptr) return context.set_output(0, Shape::of_rank(in.rank()));
  const std::vector<int64_t> paddings = context.integers(1);
  for (int64_t padding : paddings) {
    if (padding < 0) ShapeContext::fail("Paddings must be non-negative");
  }
  for (int i = 0; i < in.rank(); ++i) {
    const auto at = static_cast<size_t>(2 * i);
    if (in.dim(i) >= 0) in.set_dim(i, checked(paddings[at]) + in.dim(i) + paddings[at + 1]);
  }
  context.set_output(0, in);
}

std::unique_ptr<Kernel> prepare_pad(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const Shape& in = context.input_shape(0);
  const Shape& out = context.output_shape(0);
  const std::vector<int64_t> paddings = context.integers(1);
  const std::vector<int64_t> from = dense_strides(in);
  const std::vector<int64_t> to = dense_strides(out);
  std::vector<StridedCopy::Dim> dims;
  int64_t offset = 0;
  for (int i = 0; i < in.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    dims.push_back({in.dim(i), from[at], to[at]});
    offset += paddings[2 * at] * to[at];
  }
  const bool has_value = context.num_inputs() == 3;
  return make_kernel([copy = StridedCopy(dtype, dims, 0, offset), zero = Array(dtype, Shape()), has_value,
                      count = out.num_elements()](const KernelCall& call) {
    const void* const value = has_value ? call.in<void>(2) : zero.raw_data();
    fill_words(zero.dtype(), value, call.out<void>(0), count, call.parallel());
    copy.run(call.in<void>(0), call.out<void>(0), call.parallel());
  });
}

/// Cuts the input's block out of the gradient.
std::vector<Endpoint> pad_gradient(GradientContext& g) {
  const Endpoint column = python_list(g, {python_rank_of(g, g.input(0)), 1}, DType::kInt32, "stack");
  Endpoint before;
  {
    const NameScope scope(g.graph(), "Slice");
    const Endpoint begin = python_integers(g, {0, 0}, DType::kInt32, "begin");
    before = g.op("Slice", {g.input(1), begin, column}, {}, scope.path());
  }
  const Endpoint begin = python_reshape_to(g, before, {-1});
  const Endpoint size = python_shape_of_type(g, g.input(0), base_dtype(begin.dtype()));
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = g.op("Slice", {g.grad(), begin, size});
  return grads;
}

constexpr graph::OpRow kArrayPadOps[] = {
    {.name = "Tile",
     .inputs = "input:T, multiples:Tmultiples",
     .outputs = "output:T",
     .attrs = "T:type; Tmultiples:type=int32{indices}",
     .shape = tile_shape,
     .gradient = tile_gradient,
     .prepare = prepare_tile},
    {.name = "Pad",
     .inputs = "input:T, paddings:Tpaddings",
     .outputs = "output:T",
     .attrs = "T:type; Tpaddings:type=int32{indices}",
     .shape = pad_shape,
     .gradient = pad_gradient,
     .prepare = prepare_pad},
    {.name = "PadV2",
     .inputs = "input:T, paddings:Tpaddings, constant_values:T",
     .outputs = "output:T",
     .attrs = "T:type; Tpaddings:type=int32{indices}",
     .shape = pad_shape,
     .gradient = pad_gradient,
     .prepare = prepare_pad},
};

}  // namespace

void register_array_pad_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayPadOps) table.add(row);
}

}  // namespace flowray::ops
