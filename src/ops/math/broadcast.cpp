// BroadcastTo, and what shapes broadcast to and along which axes.

#include "graph/constant_value.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/broadcast_plan.h"
#include "ops/elements/element_words.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

// ---- BroadcastTo

std::vector<Endpoint> broadcast_to_gradient(GradientContext& g) {
  const Endpoint dims = g.input(1);
  const Endpoint input_shape = python_shape_of_type(g, g.input(0), dims.dtype());
  Endpoint shape = dims;
  const Array known = graph::constant_value(dims);
  if (known.has_value()) shape = python_integers(g, graph::to_integers(known), dims.dtype(), "Const");
  graph::Node* args = g.op("BroadcastGradientArgs", {shape, input_shape}).node;
  const Endpoint sum = g.op("Sum", {g.grad(), args->output(1)}, {{"keep_dims", true}});
  return {g.op("Reshape", {sum, input_shape}), {}};
}

void check_running_broadcast(const Shape& input, const std::vector<int64_t>& dims) {
  for (const int64_t dim : dims) {
    if (dim < 0) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", dim));
  }
  const Shape output(dims);
  if (input.rank() > output.rank()) {
    ShapeContext::fail(fmt::format("Rank of input ({}) must be no greater than rank of output shape ({}).",
                                   input.rank(), output.rank()));
  }
  if (!(graph::broadcast(input, output, /*running=*/true) == output)) {
    ShapeContext::fail(fmt::format("Unable to broadcast tensor of shape {} to tensor of shape {}",
                                   input.to_string(), output.to_string()));
  }
}

void broadcast_to_shape(ShapeContext& context) {
  if (context.running() && context.input(1).rank() != 1) {
    ShapeContext::fail("shape must be a vector of {int32,int64}, got shape " + context.input(1).to_string());
  }
  context.with_rank(1, 1);
  const Shape& input = context.input(0);
  if (context.running()) check_running_broadcast(input, context.integers(1));
  Shape output = context.value_as_shape(1);
  if (output.has_rank() && input.has_rank()) {
    if (input.rank() > output.rank()) {
      ShapeContext::fail(
          fmt::format("Shape must be at most rank {} but is rank {}", output.rank(), input.rank()));
    }
    for (int i = 1; i <= input.rank(); ++i) {
      if (input.dim(-i) != 1 && input.dim(-i) >= 0) {
        output.set_dim(-i, ShapeContext::merge_dim(input.dim(-i), output.dim(-i)));
      }
    }
  }
  context.set_output(0, output);
}

constexpr int64_t kElementsPerWorker = 32768;

template <class W>
std::unique_ptr<Kernel> broadcast_words(const BroadcastPlan& plan) {
  return graph::make_kernel([plan](const KernelCall& call) {
    const W* in = call.in<W>(0);
    W* out = call.out<W>(0);
    for_elements(call.parallel(), plan.rows, std::max<int64_t>(1, kElementsPerWorker / plan.inner),
                 [&](int64_t begin, int64_t end) {
                   plan.for_rows(begin, end, [&](int64_t row, const BroadcastPlan::Offsets& at) {
                     W* to = out + row * plan.inner;
                     if (plan.inner_moves[0]) {
                       copy_words(in + at[0], to, plan.inner);
                     } else {
                       std::fill_n(to, plan.inner, in[at[0]]);
                     }
                   });
                 });
  });
}

std::unique_ptr<Kernel> prepare_broadcast_to(PrepareContext& context) {
  const std::array<const Shape*, 1> operands = {&context.input_shape(0)};
  const BroadcastPlan plan = plan_broadcast(context.output_shape(0), operands);
  const DType dtype = context.input_dtype(0);
  std::unique_ptr<Kernel> kernel;
  const bool found = dispatch_words(dtype, [&]<class W>() { kernel = broadcast_words<W>(plan); });
  if (!found) context.no_kernel_for(dtype);
  return kernel;
}

// ---- ops on shapes: their results follow from their inputs' values and are made with the plan

/// A kernel whose outputs are known when it is prepared.
std::unique_ptr<Kernel> known_integers(PrepareContext& context, std::vector<std::vector<int64_t>> values) {
  const bool narrow = context.output_dtype(0) == DType::kInt32;
  return graph::make_kernel([narrow, values = std::move(values)](const KernelCall& call) {
    for (size_t k = 0; k < values.size(); ++k) {
      for (size_t i = 0; i < values[k].size(); ++i) {
        if (narrow) {
          call.out<int32_t>(static_cast<int>(k))[i] = static_cast<int32_t>(values[k][i]);
        } else {
          call.out<int64_t>(static_cast<int>(k))[i] = values[k][i];
        }
      }
    }
  });
}

void check_vector(const ShapeContext& context, int i) {
  if (context.running() && context.input(i).rank() != 1) {
    ShapeContext::fail(fmt::format("In[{}] must be a vector.{}", i, context.input(i).to_string()));
  }
  context.with_rank(i, 1);
}

struct GradientAxes {
  std::vector<int64_t> first;
  std::vector<int64_t> second;
};

/// Along which axes gradients of the result are to be summed for two operands of these shapes. A dimension
/// that is 1 in both counts for both, unless the shapes are the same.
GradientAxes gradient_axes(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  GradientAxes axes;
  if (first == second) return axes;
  const size_t rank = std::max(first.size(), second.size());
  const auto dim = [rank](const std::vector<int64_t>& dims, size_t axis) {
    return axis + dims.size() < rank ? 1 : dims[axis + dims.size() - rank];
  };
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t a = dim(first, axis);
    const int64_t b = dim(second, axis);
    if (a != b && a != 1 && b != 1) {
      ShapeContext::fail(
          fmt::format("Incompatible shapes: {} vs. {}", Shape(first).to_string(), Shape(second).to_string()));
    }
    if (a == 1) axes.first.push_back(static_cast<int64_t>(axis));
    if (b == 1) axes.second.push_back(static_cast<int64_t>(axis));
  }
  return axes;
}

void gradient_args_shape(ShapeContext& context) {
  for (int i = 0; i < 2; ++i) {
    check_vector(context, i);
    context.set_output(i, Shape{Shape::kUnknownDim});
  }
  if (!context.running() || context.value(0) == nullptr || context.value(1) == nullptr) return;
  const GradientAxes axes = gradient_axes(context.integers(0), context.integers(1));
  context.set_output(0, Shape{static_cast<int64_t>(axes.first.size())});
  context.set_output(1, Shape{static_cast<int64_t>(axes.second.size())});
}

std::unique_ptr<Kernel> prepare_gradient_args(PrepareContext& context) {
  GradientAxes axes = gradient_axes(context.integers(0), context.integers(1));
  return known_integers(context, {std::move(axes.first), std::move(axes.second)});
}

void broadcast_args_shape(ShapeContext& context) {
  check_vector(context, 0);
  check_vector(context, 1);
  const int64_t a = context.with_rank(0, 1).dim(0);
  const int64_t b = context.with_rank(1, 1).dim(0);
  context.set_output(0, Shape{a < 0 || b < 0 ? Shape::kUnknownDim : std::max(a, b)});
}

std::unique_ptr<Kernel> prepare_broadcast_args(PrepareContext& context) {
  const Shape result =
      graph::broadcast(Shape(context.integers(0)), Shape(context.integers(1)), /*running=*/true);
  return known_integers(context, {std::vector<int64_t>(result.begin(), result.end())});
}

constexpr graph::OpRow kBroadcastOps[] = {
    {.name = "BroadcastTo",
     .inputs = "input:T, shape:Tidx",
     .outputs = "output:T",
     .attrs = "T:type; Tidx:type=int32{indices}",
     .shape = broadcast_to_shape,
     .gradient = broadcast_to_gradient,
     .prepare = prepare_broadcast_to},
    {.name = "BroadcastGradientArgs",
     .inputs = "s0:T, s1:T",
     .outputs = "r0:T, r1:T",
     .attrs = "T:type=int32{indices}",
     .shape = gradient_args_shape,
     .not_differentiable = true,
     .prepare = prepare_gradient_args},
    {.name = "BroadcastArgs",
     .inputs = "s0:T, s1:T",
     .outputs = "r0:T",
     .attrs = "T:type=int32{indices}",
     .shape = broadcast_args_shape,
     .prepare = prepare_broadcast_args},
};

}  // namespace

void register_broadcast_ops(OpTable& table) {
  for (const graph::OpRow& row : kBroadcastOps) table.add(row);
}

}  // namespace flowray::ops
