#include "tf/gradients/loop_gradient.h"

#include <flowray/tf/array.h>

#include "graph/constant_value.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "tf/build/apply_op.h"

#include <fmt/format.h>

namespace flowray::tf {

using graph::Endpoint;
using graph::FlowRole;
using graph::Node;

namespace {

/// The Enter that brings in a loop's constant, if `value` is only handed on from one; else null.
Node* constant_enter_behind(Endpoint value) {
  Node* node = value.node;
  while (has_role(*node, FlowRole::kSwitch) || node->op() == "Identity" || node->op() == "RefIdentity") {
    node = node->input(0).node;
  }
  return is_constant_enter(*node) ? node : nullptr;
}

/// The loop that runs a program's one backwards. It belongs to the graph, as the program's does; `gradient`
/// lives for one call of tf::gradients, in which alone values are asked of it.
class GradientLoop : public LoopContext {
 public:
  GradientLoop(graph::Graph& graph, BuildContext* outer, LoopGradient& gradient)
      : LoopContext(graph, outer, gradient.forward_loop().traits(), gradient.forward_loop().frame_name()),
        forward_(gradient.forward_loop()),
        gradient_(gradient) {}

  LoopGradient& gradient() const { return gradient_; }
  LoopContext* forward_loop() const override { return &forward_; }
  Endpoint remembered(Endpoint value) override { return gradient_.remembered(value); }

 private:
  LoopContext& forward_;
  LoopGradient& gradient_;
};

/// The node that adds one: the NextIteration's input.
Node* adder_of(Endpoint next_iteration) { return next_iteration.node->input(0).node; }

}  // namespace

LoopGradient* gradient_of(const LoopContext& loop) {
  return loop.forward_loop() == nullptr ? nullptr : &static_cast<const GradientLoop&>(loop).gradient();
}

LoopGradient::LoopGradient(LoopContext& forward, LoopGradient* outer)
    : exits(forward.exits()),
      pending_exits(static_cast<int>(forward.exits().size())),
      graph_(forward.graph()),
      builder_(graph_),
      forward_(forward),
      outer_(outer) {
  BuildContext* const around = outer != nullptr ? &outer->forward_loop() : forward.outer_context();
  Endpoint count;
  {
    const InsideOf inside(around);
    count = count_iterations();
  }
  Endpoint stack;
  if (outer != nullptr) {
    around->know(count);
    stack = outer->push(count);
  }
  const InsideOf inside(outer != nullptr ? &outer->loop() : around);
  loop_ = &graph::FlowContexts::of(graph_).keep(
      std::make_unique<GradientLoop>(graph_, current_context(graph_), *this));
  count_down(outer != nullptr ? outer->pop(stack, count) : count);
}

/// A further variable of the program's loop.
Endpoint LoopGradient::count_iterations() {
  const Endpoint zero = builder_.constant(Array(int32_t{0}), "f_count");
  // What an inner loop pushes in one iteration of the outer one stands before what it pushes in the next.
  if (outer_ != nullptr) zero.node->add_control_input(adder_of(outer_->forward_index_));
  const InsideOf inside(&forward_);
  forward_.know(zero);
  const Endpoint enter =
      forward_.enter_node(zero, /*is_constant=*/false, LoopContext::Shape::kOfInput, "f_count");
  forward_.enters().push_back(enter);
  const Endpoint merge = merge_node(builder_, enter, enter);
  const auto [done, running] = switch_node(builder_, merge, forward_.predicate());
  forward_index_ = forward_.close(merge, ops::python_with_right(builder_, "AddV2", running, 1.0, "Add"));
  const Endpoint total = pass_on(builder_, "Exit", done, "f_count");
  forward_.exits().push_back(total);
  forward_.hand_out({total});
  return total;
}

void LoopGradient::count_down(Endpoint count) {
  const Endpoint one = builder_.constant(Array(int32_t{1}), "b_count");
  const InsideOf inside(loop_);
  loop_->know(count);
  const Endpoint enter =
      loop_->enter_node(count, /*is_constant=*/false, LoopContext::Shape::kOfInput, "b_count");
  loop_->enters().push_back(enter);
  const Endpoint merge = merge_node(builder_, enter, enter);
  loop_->set_pivot_for_predicate(merge);
  const Endpoint goes_on = builder_.op("GreaterEqual", {merge, one});
  loop_->set_predicate(builder_.op("LoopCond", {goes_on}, {}, "b_count"));
  const auto [done, running] = switch_node(builder_, merge, loop_->predicate());
  const Endpoint less = builder_.op("Sub", {running, one});
  loop_->set_pivot_for_body(less);
  index_ = loop_->close(merge, less);
  const Endpoint last = pass_on(builder_, "Exit", done, "b_count");
  loop_->exits().push_back(last);
  if (outer_ != nullptr) outer_->backward_sync()->add_control_input(last.node);
  loop_->hand_out({last});
}

Node* LoopGradient::forward_sync() {
  if (forward_sync_ != nullptr) return forward_sync_;
  const WithoutScopes free(graph_);
  forward_sync_ = builder_.node("ControlTrigger", {}, {}, "f_sync");
  graph::FlowContexts::of(graph_).set(*forward_sync_, &forward_);
  forward_index_.node->add_control_input(forward_sync_);
  return forward_sync_;
}

Node* LoopGradient::backward_sync() {
  if (sync_ != nullptr) return sync_;
  const WithoutScopes free(graph_);
  sync_ = builder_.node("ControlTrigger", {}, {}, "b_sync");
  graph::FlowContexts::of(graph_).set(*sync_, loop_);
  index_.node->add_control_input(sync_);
  return sync_;
}

// ---- what is remembered

Endpoint LoopGradient::push(Endpoint value, bool is_dead) {
  BuildContext* const asking = current_context(graph_);
  const WithoutScopes free(graph_);
  Endpoint stack;
  {
    const InsideOf here(asking);
    const ColocationGuard beside(&graph_, colocation_groups(*value.node));
    const Endpoint any_size = builder_.constant(Array(int32_t{-1}));
    stack = builder_.op("StackV2", {any_size}, {{"elem_type", base_dtype(value.dtype())}}, "f_acc");
  }
  const Endpoint inside = forward_.bring_in(stack);
  BuildContext* const context = output_context_of(*value.node);
  const bool is_in_branch = context != &forward_;
  if (is_in_branch && (context == nullptr || context->is_loop())) {
    throw TypeError(fmt::format(
        "value_ctxt is not a CondContext: '{}' is needed for the gradient of the loop '{}' and is "
        "of another loop.",
        value.name(), forward_.frame_name()));
  }
  Node* node = nullptr;
  {
    const InsideOf there(is_in_branch && is_dead ? context->outer_context() : context);
    node = builder_.node("StackPushV2", {inside, value}, {{"swap_memory", forward_.traits().swap_memory}});
  }
  if (is_in_branch && is_dead) graph::FlowContexts::of(graph_).set(*node, context);
  // In each iteration after the counter was raised and before it is handed on.
  (is_in_branch ? forward_sync() : forward_index_.node)->add_control_input(node);
  node->add_control_input(adder_of(forward_index_));
  return stack;
}

Endpoint LoopGradient::pop(Endpoint stack, Endpoint value, bool is_dead) {
  BuildContext* const around = context_of(*stack.node);
  BranchContext* branch = nullptr;
  for (BuildContext* context = context_of(*value.node);
       context != nullptr && context != around && branch == nullptr; context = context->outer_context()) {
    if (!context->is_loop()) branch = static_cast<BranchContext*>(context);
  }
  Endpoint value_then;
  {
    const WithoutScopes free(graph_);
    const InsideOf inside(loop_);
    if (branch != nullptr) {
      Endpoint predicate;
      for (LoopGradient* from = this; from != nullptr && !predicate; from = from->outer_) {
        predicate = from->known_predicate(branch->predicate());
      }
      const auto [no, yes] = switch_beside(builder_, stack, predicate ? predicate : branch->predicate());
      stack = (branch->branch() == 1) != is_dead ? yes : no;
    }
    value_then = builder_.op("StackPopV2", {stack}, {{"elem_type", base_dtype(value.dtype())}});
    value_then.node->merge_output_shape(0, value.shape());
  }
  if (loop_->traits().parallel_iterations > 1) backward_sync()->add_control_input(value_then.node);
  return value_then;
}

Endpoint LoopGradient::remembered(Endpoint value) {
  const auto found = remembered_.find(value);
  if (found != remembered_.end()) return found->second;
  Endpoint current = value;
  LoopGradient* state = this;
  Endpoint real;
  while (Node* const enter = constant_enter_behind(current)) {
    current = enter->input(0);
    state = state->outer_;
    if (state != nullptr) continue;
    real = loop_->bring_in(current);  // the same in all loops of this gradient
    break;
  }
  if (!real && current.node->op() == "Const") {
    real = builder_.constant(current.node->attrs().get<Array>("value"));
  }
  if (!real) {
    Endpoint stack;
    {
      const OutsideOf outside(*loop_);
      stack = state->push(current);
    }
    real = state->pop(stack, current);
    if (state != this) real = loop_->bring_in(real);
  }
  remembered_[value] = real;
  return real;
}

Endpoint LoopGradient::known_predicate(Endpoint predicate) const {
  const auto found = remembered_.find(predicate);
  return found == remembered_.end() ? Endpoint{} : found->second;
}

Endpoint LoopGradient::remembered_predicate(Endpoint predicate) {
  if (const Endpoint known = known_predicate(predicate)) return known;
  Endpoint stack;
  {
    const OutsideOf outside(*loop_);
    stack = push(predicate);
  }
  const Endpoint real = pop(stack, predicate);
  remembered_[predicate] = real;
  return real;
}

// ---- sums over the iterations

Endpoint LoopGradient::zeros_for_sum(Endpoint value, Endpoint gradient) {
  const DType dtype = base_dtype(gradient.dtype());
  BuildContext* const around = loop_->outer_context();
  if (gradient.shape().is_fully_defined()) {
    const InsideOf inside(around);
    return builder_.constant(Array(dtype, gradient.shape()), "b_acc");
  }
  const bool is_nested =
      around != nullptr && around->is_loop() && static_cast<LoopContext*>(around)->forward_loop() != nullptr;
  Endpoint shape;
  Endpoint stack;
  if (is_nested) {
    {
      const InsideOf forward(forward_.outer_context());
      shape = builder_.op("Shape", {value});
    }
    stack = outer_->push(shape);
  }
  const InsideOf inside(around);
  shape = is_nested ? outer_->pop(stack, shape) : builder_.op("Shape", {value});
  return endpoint_of(zeros(tensor_of(shape), dtype));
}

Endpoint LoopGradient::sum_up(Node& enter, Endpoint gradient) {
  Endpoint zeros;
  {
    const OutsideOf outside(*loop_);
    zeros = zeros_for_sum(enter.input(0), gradient);
  }
  loop_->know(zeros);
  const Endpoint first =
      loop_->enter_node(zeros, /*is_constant=*/false, LoopContext::Shape::kOfInput, "b_acc");
  loop_->enters().push_back(first);
  const Endpoint merge = merge_node(builder_, first, first, "b_acc");
  const auto [done, running] = switch_node(builder_, merge, loop_->predicate());
  loop_->close(merge, builder_.op("AddV2", {running, gradient}, {}, "Add"));
  const Endpoint sum = pass_on(builder_, "Exit", done, "b_acc");
  loop_->exits().push_back(sum);
  loop_->hand_out({sum});
  return sum;
}

}  // namespace flowray::tf
