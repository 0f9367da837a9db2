// Reshape, ExpandDims, Squeeze: the same elements in another shape.

#include "core/checked_size.h"
#include "graph/gradient_context.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/python_nodes/python_array_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

// ---- Reshape

/// A shape's known dimensions multiplied, and where the unknown ones are.
struct KnownPart {
  int64_t product = 1;
  bool is_too_large = false;  // the product
  int num_unknown = 0;
  int unknown = -1;  // the last of them

  explicit KnownPart(const Shape& shape) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape.dim(i) >= 0) {
        is_too_large = __builtin_mul_overflow(product, shape.dim(i), &product) || is_too_large;
      } else {
        ++num_unknown;
        unknown = i;
      }
    }
  }
  /// As far as it is known: a dimension of 0 decides it.
  int64_t num_elements() const { return !is_too_large && (num_unknown == 0 || product == 0) ? product : -1; }
};

int64_t divide_evenly(int64_t a, int64_t b) {
  if (a % b != 0)
    ShapeContext::fail(fmt::format("Dimension size must be evenly divisible by {} but is {}", b, a));
  return a / b;
}

/// While a graph is built: infers the one unknown dimension of `out` where the other side is known, or
/// the same.
Shape reshaped(const Shape& in, Shape out) {
  const KnownPart from(in);
  const KnownPart to(out);
  if (from.is_too_large || to.is_too_large) return out;  // the step refuses it
  if (from.num_elements() >= 0 && to.num_elements() >= 0 && from.num_elements() != to.num_elements()) {
    ShapeContext::fail(fmt::format("Cannot reshape a tensor with {} elements to shape {} ({} elements)",
                                   from.num_elements(), out.to_string(), to.num_elements()));
  }
  if (to.num_unknown == 1 && from.num_elements() >= 0) {
    if (to.product > 0) out.set_dim(to.unknown, divide_evenly(from.num_elements(), to.product));
    return out;
  }
  if (from.num_unknown > 1 || to.num_unknown > 1) return out;
  if (from.num_unknown == 1 && to.num_unknown == 0) {
    if (from.product > 0) divide_evenly(to.product, from.product);
  } else if (to.num_unknown == 1 && from.product == to.product) {
    out.set_dim(to.unknown, in.dim(from.unknown));
  }
  return out;
}

/// What a -1 among `sizes` stands for. Next to a 0 only dimensions other than 0 count, on both sides: [2,0]
/// as [0,-1] is [0,2], and [0] as [-1,0] is [1,0]. `product` is that of the sizes other than -1 and 0.
int64_t inferred_size(const Shape& in, int64_t product, bool has_zero) {
  int64_t count = in.num_elements();
  if (has_zero) {
    count = 1;
    for (const int64_t dim : in) count = checked(count) * (dim == 0 ? 1 : dim);
  }
  if (count % product != 0) {
    ShapeContext::fail(
        fmt::format("Input to reshape is a tensor with {} values, but the requested shape requires a "
                    "multiple of {}",
                    count, product));
  }
  return count / product;
}

/// In a step: what the kernel checks.
Shape reshaped_in_step(const Shape& in, std::vector<int64_t> sizes) {
  int unknown = -1;
  int64_t product = 1;
  int64_t all = 1;  // zeros included
  bool is_too_large = false;
  bool product_is_too_large = false;
  bool has_zero = false;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    if (size == -1 && unknown >= 0) {
      ShapeContext::fail(fmt::format("Only one input size may be -1, not both {} and {}", unknown, i));
    }
    if (size < -1) ShapeContext::fail(fmt::format("Size {} must be non-negative, not {}", i, size));
    if (size == -1) unknown = i;
    is_too_large = is_too_large || (size >= 0 && __builtin_mul_overflow(all, size, &all));
    product_is_too_large =
        product_is_too_large || (size > 0 && __builtin_mul_overflow(product, size, &product));
    has_zero = has_zero || size == 0;
  }
  if (is_too_large || (unknown >= 0 && product_is_too_large))
    ShapeContext::fail(fmt::format("Shape [{}] has too many elements", fmt::join(sizes, ", ")));
  if (unknown >= 0) sizes[static_cast<size_t>(unknown)] = inferred_size(in, product, has_zero);
  Shape out(sizes);
  if (out.num_elements() != in.num_elements()) {
    ShapeContext::fail(
        fmt::format("Input to reshape is a tensor with {} values, but the requested shape has {}",
                    in.num_elements(), out.num_elements()));
  }
  return out;
}

void reshape_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(1).rank() > 1)
      ShapeContext::fail("sizes input must be 1-D, not " + context.input(1).to_string());
    return context.set_output(0, reshaped_in_step(context.input(0), context.integers(1)));
  }
  context.with_rank(1, 1);
  const Shape out = context.value_as_shape(1);
  const bool known = out.has_rank() && context.input(0).has_rank();
  context.set_output(0, known ? reshaped(context.input(0), out) : out);
}

/// Back to the input's shape. One unknown dimension of it is left to Reshape, which saves a Shape node in
/// every step.
std::vector<Endpoint> reshape_gradient(GradientContext& g) {
  const Shape& shape = g.input(0).shape();
  const bool has_zero = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (shape.has_rank() && std::count(shape.begin(), shape.end(), Shape::kUnknownDim) == 1 && !has_zero) {
    return {python_reshape_to(g, g.grad(), std::vector<int64_t>(shape.begin(), shape.end())), {}};
  }
  return {g.op("Reshape", {g.grad(), python_shape_of_type(g, g.input(0), DType::kInt32)}), {}};
}

// ---- ExpandDims

void expand_dims_shape(ShapeContext& context) {
  const Shape& in = context.input(0);
  if (context.value(1) == nullptr || !in.has_rank()) return;
  if (context.value(1)->size() != 1) {
    ShapeContext::fail(context.running() ? "'dim' must be a tensor with a single value"
                                         : "'dim' input must be a tensor with a single value");
  }
  const int64_t dim = context.integers(1)[0];
  const int64_t rank = in.rank();
  if (dim < -rank - 1 || dim > rank) {
    ShapeContext::fail(
        context.running()
            ? fmt::format("Tried to expand dim index {} for tensor with {} dimensions.", dim, rank)
            : fmt::format("dim {} not in the interval [{}, {}].", dim, -rank - 1, rank));
  }
  std::vector<int64_t> dims(in.begin(), in.end());
  dims.insert(dims.begin() + (dim < 0 ? dim + rank + 1 : dim), 1);
  context.set_output(0, Shape(dims));
}

/// Back to the input's shape.
Endpoint reshape_to_input(GradientContext& g) {
  return g.op("Reshape", {g.grad(), python_shape_of_type(g, g.input(0), DType::kInt32)});
}

std::vector<Endpoint> expand_dims_gradient(GradientContext& g) { return {reshape_to_input(g), {}}; }

// ---- Squeeze

/// For each dimension of an input of rank `rank`, whether the attribute names it.
std::vector<bool> squeezed_dims(const ShapeContext& context, int64_t rank) {
  std::vector<bool> named(static_cast<size_t>(rank), false);
  const auto& list = context.attrs().get<std::vector<int64_t>>("squeeze_dims");
  for (size_t i = 0; i < list.size(); ++i) {
    const int64_t dim = checked_int32("Attr squeeze_dims", list[i]);
    if (dim < -rank || dim >= rank) {
      ShapeContext::fail(
          context.running()
              ? fmt::format("Tried to squeeze dim index {} for tensor with {} dimensions.", dim, rank)
              : fmt::format("squeeze_dims[{}] not in [{},{}).", i, -rank, rank));
    }
    named[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = true;
  }
  return named;
}

void squeeze_shape(ShapeContext& context) {
  const Shape& in = context.input(0);
  if (!in.has_rank()) return;
  const bool all = context.attrs().get<std::vector<int64_t>>("squeeze_dims").empty();
  const std::vector<bool> named = squeezed_dims(context, in.rank());
  std::vector<int64_t> dims;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t size = in.dim(i);
    if (all && size < 0) return;  // it may turn out to be 1, or not
    if (all && size == 1) continue;
    if (!named[static_cast<size_t>(i)]) {
      dims.push_back(size);
    } else if (size > 1 || size == 0) {
      ShapeContext::fail(fmt::format("Can not squeeze dim[{}], expected a dimension of 1, got {}", i, size));
    }
  }
  context.set_output(0, Shape(dims));
}

std::vector<Endpoint> squeeze_gradient(GradientContext& g) { return {reshape_to_input(g)}; }

constexpr graph::OpRow kArrayReshapeOps[] = {
    {.name = "Reshape",
     .inputs = "tensor:T, shape:Tshape",
     .outputs = "output:T",
     .attrs = "T:type; Tshape:type=int32{indices}",
     .view = true,
     .shape = reshape_shape,
     .gradient = reshape_gradient},
    {.name = "ExpandDims",
     .inputs = "input:T, dim:Tdim",
     .outputs = "output:T",
     .attrs = "T:type; Tdim:type=int32{indices}",
     .view = true,
     .shape = expand_dims_shape,
     .gradient = expand_dims_gradient},
    {.name = "Squeeze",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type; squeeze_dims:list(int)=[]",
     .view = true,
     .shape = squeeze_shape,
     .gradient = squeeze_gradient},
};

}  // namespace

void register_array_reshape_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayReshapeOps) table.add(row);
}

}  // namespace flowray::ops
