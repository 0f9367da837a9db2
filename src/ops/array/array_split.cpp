// Split, SplitV, Unpack: one array in several.

#include "core/checked_size.h"
#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/shape_parts.h"
#include "ops/elements/strided_copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

/// The axis of a split, counted from 0. Throws where the array has no such axis.
int split_axis(const ShapeContext& context, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    ShapeContext::fail(
        context.running()
            ? fmt::format("-input rank(-{0}) <= split_dim < input rank ({0}), but got {1}", rank, axis)
            : fmt::format("Dimension size, given by scalar input {} must be in range [-{}, {})", axis, rank,
                          rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void check_scalar_axis(const ShapeContext& context, int input) {
  const Shape& shape = context.input(input);
  if (context.running() && shape.num_elements() != 1) {
    ShapeContext::fail(fmt::format("split_dim must be a scalar but has rank {}", shape.rank()));
  }
  if (!context.running() && shape.has_rank() && shape.rank() != 0) {
    ShapeContext::fail(fmt::format("Input must be scalar but has rank {}", shape.rank()));
  }
}

/// Copies the blocks that lie side by side in the input to one output each: `outer` times a block.
std::unique_ptr<Kernel> copy_apart(PrepareContext& context, int input, int64_t outer,
                                   const std::vector<int64_t>& blocks) {
  const DType dtype = context.input_dtype(input);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  if (context.input_shape(input).num_elements() == 0) return make_kernel([](const KernelCall&) {});
  int64_t row = 0;
  for (const int64_t block : blocks) row += block;
  std::vector<StridedCopy> copies;
  int64_t offset = 0;
  for (const int64_t block : blocks) {
    const StridedCopy::Dim dims[] = {{outer, row, block}, {block, 1, 1}};
    copies.emplace_back(dtype, dims, offset, 0);
    offset += block;
  }
  return make_kernel([input, copies = std::move(copies)](const KernelCall& call) {
    for (size_t i = 0; i < copies.size(); ++i) {
      copies[i].run(call.in<void>(input), call.out<void>(static_cast<int>(i)), call.parallel());
    }
  });
}

/// Splits input `value` along the axis that input `axis_input` holds.
std::unique_ptr<Kernel> prepare_split_along(PrepareContext& context, int value, int axis_input) {
  const Shape& in = context.input_shape(value);
  // A single output is the whole array, whatever the axis.
  const int64_t given = context.num_outputs() == 1 ? 0 : context.integers(axis_input)[0];
  const int axis = static_cast<int>(given < 0 ? given + in.rank() : given);
  std::vector<int64_t> blocks;
  for (int i = 0; i < context.num_outputs(); ++i) {
    blocks.push_back(elements_between(context.output_shape(i), axis, in.rank()));
  }
  return copy_apart(context, value, elements_between(in, 0, axis), blocks);
}

// ---- Split

void split_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() != 0) {
    ShapeContext::fail(fmt::format("split_dim must be a scalar but has rank {}", context.input(0).rank()));
  }
  check_scalar_axis(context, 0);
  const Shape& in = context.input(1);
  Shape out = in.has_rank() ? Shape::of_rank(in.rank()) : Shape::unknown_rank();
  if (context.value(0) != nullptr && in.has_rank()) {
    const int axis = split_axis(context, context.integers(0)[0], in.rank());
    const int64_t count = context.num_outputs();
    const int64_t size = in.dim(axis);
    out = in;
    if (size >= 0 && size % count != 0) {
      ShapeContext::fail(
          context.running()
              ? fmt::format("Number of ways to split should evenly divide the split dimension, but got "
                            "split_dim {} (size = {}) and num_split {}",
                            axis, size, count)
              : fmt::format("Dimension size must be evenly divisible by {} but is {}", count, size));
    }
    out.set_dim(axis, size < 0 ? size : size / count);
  }
  for (Shape& shape : context.outputs()) shape = out;
}

std::unique_ptr<Kernel> prepare_split(PrepareContext& context) { return prepare_split_along(context, 1, 0); }

Endpoint concat_of_gradients(GradientContext& g, Endpoint axis) {
  std::vector<Endpoint> inputs(g.grads().begin(), g.grads().end());
  inputs.push_back(axis);
  return g.op("ConcatV2", std::move(inputs), {}, "concat");
}

std::vector<Endpoint> split_gradient(GradientContext& g) { return {{}, concat_of_gradients(g, g.input(0))}; }

// ---- SplitV

/// The sizes with the one -1 replaced by what is left of `whole` (which fits unless another one is
/// negative, too, which is refused). Throws where they do not fit, with the kernel's words.
std::vector<int64_t> sizes_in_step(std::vector<int64_t> sizes, int64_t whole) {
  int64_t sum = 0;
  int64_t open = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (open >= 0) ShapeContext::fail("There can only be one -1 in the input.");
      open = static_cast<int64_t>(i);
    } else {
      sum = checked(sum) + sizes[i];
    }
  }
  if (open < 0 ? sum != whole : sum > whole) {
    ShapeContext::fail(fmt::format(
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
        "less than the size of the input along split_dim if not fully specified.  Got: {}",
        sum));
  }
  if (open >= 0) sizes[static_cast<size_t>(open)] = wrapping_subtract(whole, sum);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0)
      ShapeContext::fail(fmt::format("Split size at index {} must be >= 0. Got: {}", i, sizes[i]));
  }
  return sizes;
}

/// The same while a graph is built, where the whole may be unknown (-1) and stays so next to a -1.
std::vector<int64_t> sizes_in_graph(std::vector<int64_t> sizes, int64_t whole) {
  int64_t sum = 0;
  int64_t open = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != -1) {
      sum = checked(sum) + sizes[i];
    } else if (open >= 0) {
      ShapeContext::fail("size_splits can only have one -1");
    } else {
      open = static_cast<int64_t>(i);
    }
  }
  if (open >= 0 && whole >= 0) sizes[static_cast<size_t>(open)] = wrapping_subtract(whole, sum);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < -1 || (sizes[i] < 0 && whole >= 0)) {
      ShapeContext::fail(fmt::format("Split size at index {} must be >= 0. Got: {}", i, sizes[i]));
    }
  }
  if (whole >= 0 && open < 0 && sum != whole) {
    ShapeContext::fail(
        fmt::format("can't split axis of size {} into pieces of size [{}]", whole, fmt::join(sizes, ",")));
  }
  return sizes;
}

void split_v_in_step(ShapeContext& context) {
  const Shape& in = context.input(0);
  const int64_t count = context.num_outputs();
  const Shape& sizes_shape = context.input(1);
  if (sizes_shape.rank() != 1 || sizes_shape.dim(0) != count) {
    ShapeContext::fail(
        fmt::format("size of the split_tensor must be 1-D and have the same elements as outputs got {} -D "
                    "and {} elements",
                    sizes_shape.rank(), sizes_shape.num_elements()));
  }
  const int axis = split_axis(context, context.integers(2)[0], in.rank());
  if (count == 1) return context.set_output(0, in);  // whatever its size is said to be
  const std::vector<int64_t> sizes = sizes_in_step(context.integers(1), in.dim(axis));
  for (int i = 0; i < context.num_outputs(); ++i) {
    Shape out = in;
    out.set_dim(axis, sizes[static_cast<size_t>(i)]);
    context.set_output(i, out);
  }
}

void split_v_in_graph(ShapeContext& context) {
  const Shape& in = context.input(0);
  const Shape sizes_shape = context.with_rank(1, 1);
  const int count = context.num_outputs();
  if (!in.has_rank()) return;
  if (context.value(2) == nullptr) {
    for (Shape& out : context.outputs()) out = count == 1 ? in : Shape::of_rank(in.rank());
    return;
  }
  const int axis = split_axis(context, context.integers(2)[0], in.rank());
  std::vector<int64_t> sizes(static_cast<size_t>(count), Shape::kUnknownDim);
  if (context.value(1) != nullptr) {
    sizes = context.integers(1);
    if (std::ssize(sizes) != count) {
      ShapeContext::fail("Length of size_splits should be equal to num_outputs");
    }
    sizes = sizes_in_graph(std::move(sizes), in.dim(axis));
  }
  for (int i = 0; i < count; ++i) {
    Shape out = in;
    out.set_dim(axis, sizes[static_cast<size_t>(i)]);
    context.set_output(i, out);
  }
}

void split_v_shape(ShapeContext& context) {
  check_scalar_axis(context, 2);
  context.running() ? split_v_in_step(context) : split_v_in_graph(context);
}

std::unique_ptr<Kernel> prepare_split_v(PrepareContext& context) {
  return prepare_split_along(context, 0, 2);
}

std::vector<Endpoint> split_v_gradient(GradientContext& g) {
  return {concat_of_gradients(g, g.input(2)), {}, {}};
}

// ---- Unpack

void unpack_shape(ShapeContext& context) {
  const Shape& in = context.input(0);
  const int64_t given = checked_int32("Attr axis", context.attrs().get<int64_t>("axis"));
  if (!in.has_rank()) return;
  const int rank = in.rank();
  if (given < -rank || given >= rank) {
    ShapeContext::fail(context.running()
                           ? fmt::format("axis = {} not in [{}, {})", given, -rank, rank)
                           : fmt::format("Invalid axis: {}; must be in [{},{})", given, -rank, rank));
  }
  const int64_t axis = given < 0 ? given + rank : given;
  const int64_t count = context.num_outputs();
  const int64_t size = in.dim(static_cast<int>(axis));
  if (size >= 0 && size != count) {
    ShapeContext::fail(context.running() ? fmt::format("Input shape axis {} must equal {}, got shape {}",
                                                       axis, count, in.to_string())
                                         : fmt::format("Dimension must be {} but is {}", count, size));
  }
  std::vector<int64_t> dims(in.begin(), in.end());
  dims.erase(dims.begin() + axis);
  for (Shape& out : context.outputs()) out = Shape(dims);
}

std::unique_ptr<Kernel> prepare_unpack(PrepareContext& context) {
  const Shape& in = context.input_shape(0);
  const int64_t given = context.attrs().get<int64_t>("axis");
  const int axis = static_cast<int>(given < 0 ? given + in.rank() : given);
  const std::vector<int64_t> blocks(static_cast<size_t>(context.num_outputs()),
                                    elements_between(in, axis + 1, in.rank()));
  return copy_apart(context, 0, elements_between(in, 0, axis), blocks);
}

std::vector<Endpoint> unpack_gradient(GradientContext& g) {
  const std::vector<Endpoint> grads(g.grads().begin(), g.grads().end());
  return {g.op("Pack", grads, {{"axis", g.attrs().get<int64_t>("axis")}}, "stack")};
}

constexpr graph::OpRow kArraySplitOps[] = {
    {.name = "Split",
     .inputs = "split_dim:int32, value:T",
     .outputs = "output:num_split*T",
     .attrs = "num_split:int>=1; T:type",
     .shape = split_shape,
     .gradient = split_gradient,
     .prepare = prepare_split},
    {.name = "SplitV",
     .inputs = "value:T, size_splits:Tlen, split_dim:int32",
     .outputs = "output:num_split*T",
     .attrs = "num_split:int>=1; T:type; Tlen:type=int64{[int8,int32,int64]}",
     .shape = split_v_shape,
     .gradient = split_v_gradient,
     .prepare = prepare_split_v},
    {.name = "Unpack",
     .inputs = "value:T",
     .outputs = "output:num*T",
     .attrs = "num:int>=0; T:type; axis:int=0",
     .shape = unpack_shape,
     .gradient = unpack_gradient,
     .prepare = prepare_unpack},
};

}  // namespace

void register_array_split_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArraySplitOps) table.add(row);
}

}  // namespace flowray::ops
