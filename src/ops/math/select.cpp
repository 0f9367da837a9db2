// Select and SelectV2: elements of one tensor or another, by a condition. ClipByValue: elements
// within limits.

#include "graph/node_in_text.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_words.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/pointwise.h"
#include "ops/elements/shape_merging.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
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

// ---- gradients

std::vector<Endpoint> select_gradient(GradientContext& g) {
  const Endpoint zeros = python_zeros_like(g, g.input(1));
  const Endpoint gt = g.op("Select", {g.input(0), g.grad(), zeros});
  return {{}, gt, g.op("Select", {g.input(0), zeros, g.grad()})};
}

std::vector<Endpoint> select_v2_gradient(GradientContext& g) {
  const Endpoint zero = python_number(g, 0, g.grad().dtype(), "zeros");
  Endpoint gt = g.op("SelectV2", {g.input(0), g.grad(), zero});
  Endpoint ge = g.op("SelectV2", {g.input(0), zero, g.grad()});
  gt = python_reduce_gradients(g, g.input(1), g.output(0), gt, {})[0];
  ge = python_reduce_gradients(g, g.input(2), g.output(0), ge, {})[0];
  return {{}, gt, ge};
}

// ---- shapes

void check_running_select(const Shape& condition, const Shape& t, const Shape& e) {
  const auto differ = [&](int i, const Shape& other) {
    ShapeContext::fail(
        fmt::format("Inputs to operation {} of type Select must have the same size and shape.  Input 0: {} "
                    "!= input {}: {}",
                    graph::kNodeInText, condition.to_string(), i, other.to_string()));
  };
  if (condition.rank() > 1 || (condition.rank() == 1 && t.rank() == 1)) {
    if (!(condition == t)) differ(1, t);
    if (!(condition == e)) differ(2, e);
    return;
  }
  if (condition.rank() == 1 && t.rank() == 0) {
    ShapeContext::fail(fmt::format("'then' must be at least a vector, but saw shape: {}", t.to_string()));
  }
  if (condition.rank() == 1 && t.dim(0) != condition.dim(0)) {
    ShapeContext::fail(
        fmt::format("Number of batches of 'then' must match size of 'cond', but saw: {} vs. {}", t.dim(0),
                    condition.dim(0)));
  }
  if (!(t == e)) {
    ShapeContext::fail(fmt::format("'then' and 'else' must have the same size.  but received: {} vs. {}",
                                   t.to_string(), e.to_string()));
  }
}

/// The condition is of the data's shape, a scalar, or a vector that chooses whole rows.
void select_shape(ShapeContext& context) {
  const Shape& condition = context.input(0);
  if (context.running()) check_running_select(condition, context.input(1), context.input(2));
  const Shape data = merge_shapes(context.input(1), context.input(2));
  context.set_output(0, data);
  if (!condition.has_rank() || condition.rank() == 0 || !data.has_rank()) return;
  if (condition.rank() == 1 && data.rank() > 0) {
    merge_shapes(condition, Shape{data.dim(0)});
  } else {
    context.set_output(0, merge_shapes(data, condition));
  }
}

void select_v2_shape(ShapeContext& context) {
  try {
    const Shape data = graph::broadcast(context.input(1), context.input(2), context.running());
    context.set_output(0, graph::broadcast(context.input(0), data, context.running()));
  } catch (const errors::InvalidArgumentError&) {
    if (!context.running()) throw;
    ShapeContext::fail(fmt::format("condition {}, then {}, and else {} must be broadcastable",
                                   context.input(0).to_string(), context.input(1).to_string(),
                                   context.input(2).to_string()));
  }
}

// ---- kernels

constexpr int64_t kSelectsPerWorker = 32768;

/// Each operand moves along the row or is one element for all of it.
template <class W, bool kConditionMoves, bool kThenMoves, bool kElseMoves>
void choose(const uint8_t* condition, const W* t, const W* e, W* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = condition[kConditionMoves ? i : 0] != 0 ? t[kThenMoves ? i : 0] : e[kElseMoves ? i : 0];
  }
}

template <class W>
using ChooseLoop = void (*)(const uint8_t*, const W*, const W*, W*, int64_t);

template <class W>
ChooseLoop<W> choose_loop(const std::array<bool, 3>& moves) {
  constexpr ChooseLoop<W> kLoops[8] = {
      choose<W, false, false, false>, choose<W, false, false, true>, choose<W, false, true, false>,
      choose<W, false, true, true>,   choose<W, true, false, false>, choose<W, true, false, true>,
      choose<W, true, true, false>,   choose<W, true, true, true>,
  };
  return kLoops[4 * moves[0] + 2 * moves[1] + moves[2]];
}

template <class W>
std::unique_ptr<Kernel> broadcasting_select(const BroadcastPlan& plan, graph::KernelOptions options) {
  const ChooseLoop<W> loop = choose_loop<W>(plan.inner_moves);
  if (options.elementwise) {
    const graph::ElementwiseLoop& walks = *options.elementwise;
    options.elementwise->typed = reinterpret_cast<void (*)()>(
        choose_loop<W>({!walks.reads_one(0), !walks.reads_one(1), !walks.reads_one(2)}));
    options.elementwise->any = [](const graph::ElementwiseLoop& self, const void* const* in, void* out,
                                  int64_t count) {
      reinterpret_cast<ChooseLoop<W>>(self.typed)(static_cast<const uint8_t*>(in[0]),
                                                  static_cast<const W*>(in[1]), static_cast<const W*>(in[2]),
                                                  static_cast<W*>(out), count);
    };
  }
  return graph::make_kernel(
      [plan, loop](const KernelCall& call) {
        const uint8_t* condition = call.in<uint8_t>(0);
        const W* t = call.in<W>(1);
        const W* e = call.in<W>(2);
        W* out = call.out<W>(0);
        if (plan.rows == 1) {
          for_elements(call.parallel(), plan.inner, kSelectsPerWorker, [&](int64_t begin, int64_t end) {
            const auto at = [&](int k) { return plan.inner_moves[static_cast<size_t>(k)] ? begin : 0; };
            loop(condition + at(0), t + at(1), e + at(2), out + begin, end - begin);
          });
          return;
        }
        for_elements(call.parallel(), plan.rows, std::max<int64_t>(1, kSelectsPerWorker / plan.inner),
                     [&](int64_t begin, int64_t end) {
                       plan.for_rows(begin, end, [&](int64_t row, const BroadcastPlan::Offsets& at) {
                         loop(condition + at[0], t + at[1], e + at[2], out + row * plan.inner, plan.inner);
                       });
                     });
      },
      std::move(options));
}

std::unique_ptr<Kernel> select_by(PrepareContext& context, const Shape& condition) {
  const std::array<const Shape*, 3> operands = {&condition, &context.input_shape(1), &context.input_shape(2)};
  const BroadcastPlan plan = plan_broadcast(context.output_shape(0), operands);
  const DType dtype = context.input_dtype(1);
  std::unique_ptr<Kernel> kernel;
  const bool found = dispatch_words(dtype, [&]<class W>() {
    graph::KernelOptions options;
    if (is_trivial(dtype)) {
      options.in_place = in_place_pairs(context);
      options.elementwise = elementwise_walks(context, operands, kSelectsPerWorker);
    }
    kernel = broadcasting_select<W>(plan, std::move(options));
  });
  if (!found || kernel == nullptr) context.no_kernel_for(dtype);
  return kernel;
}

std::unique_ptr<Kernel> prepare_select_v2(PrepareContext& context) {
  return select_by(context, context.input_shape(0));
}

/// A vector condition is a column that broadcasts over the rows' elements.
std::unique_ptr<Kernel> prepare_select(PrepareContext& context) {
  Shape condition = context.input_shape(0);
  if (condition.rank() == 1) {
    while (condition.rank() < context.output_shape(0).rank()) condition.push_back(1);
  }
  return select_by(context, condition);
}

// ---- ClipByValue

struct Clip {
  template <class T>
  static T apply(T value, T lowest, T highest) {
    return std::max(std::min(value, highest), lowest);
  }
};

/// The limits are scalars, or have the shape of what is clipped.
void clip_shape(ShapeContext& context) {
  const Shape& value = context.input(0);
  context.set_output(0, value);
  if (!context.running()) return;
  for (const int i : {1, 2}) {
    const Shape& limit = context.input(i);
    if (limit.num_elements() == 1 || limit == value) continue;
    ShapeContext::fail(fmt::format(
        "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input "
        "shape: {} clip_value_min shape: {} clip_value_max shape: {}",
        value.to_string(), context.input(1).to_string(), context.input(2).to_string()));
  }
}

/// Zeros in the shape that a tensor says.
Endpoint zeros_of(GradientContext& g, Endpoint shape, DType dtype) {
  const graph::NameScope scope(g.graph(), "zeros");
  const Endpoint zero = python_number(g, 0, dtype);
  return g.op("Fill", {shape, zero}, {}, scope.path());
}

std::vector<Endpoint> clip_gradient(GradientContext& g) {
  const Endpoint shape = python_shape(g, g.input(0));
  const Endpoint low_shape = python_shape(g, g.input(1));
  const Endpoint high_shape = python_shape(g, g.input(2));
  const Endpoint zeros = zeros_of(g, python_shape(g, g.grad()), g.grad().dtype());
  const Endpoint below = g.op("Less", {g.input(0), g.input(1)});
  const Endpoint above = g.op("Greater", {g.input(0), g.input(2)});
  const Endpoint low_axes = g.op("BroadcastGradientArgs", {shape, low_shape}).node->output(1);
  const Endpoint high_axes = g.op("BroadcastGradientArgs", {shape, high_shape}).node->output(1);
  const Endpoint outside = g.op("LogicalOr", {below, above});
  const Endpoint inner = g.op("Select", {outside, zeros, g.grad()});
  const Endpoint of_low = g.op("Select", {below, g.grad(), zeros});
  const Endpoint of_high = g.op("Select", {above, g.grad(), zeros});
  const Endpoint low = g.op("Reshape", {g.op("Sum", {of_low, low_axes}), low_shape});
  return {inner, low, g.op("Reshape", {g.op("Sum", {of_high, high_axes}), high_shape})};
}

constexpr graph::OpRow kSelectOps[] = {
    {.name = "Select",
     .inputs = "condition:bool, t:T, e:T",
     .outputs = "output:T",
     .attrs = "T:type",
     .shape = select_shape,
     .gradient = select_gradient,
     .prepare = prepare_select},
    {.name = "SelectV2",
     .inputs = "condition:bool, t:T, e:T",
     .outputs = "output:T",
     .attrs = "T:type",
     .elementwise = true,
     .shape = select_v2_shape,
     .gradient = select_v2_gradient,
     .prepare = prepare_select_v2},
    {.name = "ClipByValue",
     .inputs = "t:T, clip_value_min:T, clip_value_max:T",
     .outputs = "output:T",
     .attrs = "T:type{numbers}",
     .shape = clip_shape,
     .gradient = clip_gradient,
     .prepare = prepare_pointwise<Clip, RealTypes, 3>},
};

}  // namespace

void register_select_ops(OpTable& table) {
  for (const graph::OpRow& row : kSelectOps) table.add(row);
}

}  // namespace flowray::ops
