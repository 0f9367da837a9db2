#include "tf/gradients/flow_gradients.h"

#include <flowray/tf/array.h>

#include "ops/python_nodes/python_math_nodes.h"
#include "tf/build/apply_op.h"

#include <algorithm>

namespace flowray::tf {

using graph::Endpoint;
using graph::FlowRole;
using graph::Node;

namespace {

bool is_branch(const BuildContext* context) { return context != nullptr && !context->is_loop(); }

BuildContext* loop_around_exit(const Node& exit) {
  BuildContext* const outer = context_of(exit)->outer_context();
  return outer == nullptr ? nullptr : outer->loop();
}

/// Whether all that read a Switch are in a branch, an Enter counting as where it comes from.
bool is_switch_of_branch(const Node& node) {
  const std::vector<const Node*> readers = graph::FlowContexts::of(node.graph()).readers_of_switch(node);
  return std::all_of(readers.begin(), readers.end(), [](const Node* reader) {
    const BuildContext* context = context_of(*reader);
    if (context != nullptr && has_role(*reader, FlowRole::kEnter)) context = context->outer_context();
    return is_branch(context);
  });
}

}  // namespace

bool is_loop_switch(const Node& node) {
  if (!has_role(node, FlowRole::kSwitch)) return false;
  const BuildContext* const context = context_of(node);
  return context != nullptr && context->is_loop() && !is_switch_of_branch(node);
}

// ---- loops

void FlowGradients::add_loops(std::vector<Node*>& between, std::set<const Node*>& members,
                              const std::function<std::optional<ColocationGuard>(const Node&)>& colocate) {
  for (size_t i = 0; i < between.size(); ++i) {  // it grows
    Node& node = *between[i];
    if (!has_role(node, FlowRole::kExit)) continue;
    if (context_of(node) == nullptr) {
      throw ValueError(
          "Failed to call gradients on a while loop without properly serializing graph via MetaGraphDef");
    }
    const std::optional<ColocationGuard> beside = colocate(node);
    add_loop(node, between, members);
  }
}

void FlowGradients::add_loop(Node& exit, std::vector<Node*>& between, std::set<const Node*>& members) {
  LoopContext* const forward = loop_of(exit);
  if (of_loop(forward) != nullptr) return;
  loops_.push_back(std::make_unique<LoopGradient>(*forward, of_loop(loop_around_exit(exit))));
  for (const Endpoint& other : loops_.back()->exits) {
    if (members.insert(other.node).second) between.push_back(other.node);
  }
}

LoopGradient* FlowGradients::of_loop(const BuildContext* loop) const {
  if (loop == nullptr) return nullptr;
  for (const auto& gradient : loops_) {
    if (&gradient->forward_loop() == loop) return gradient.get();
  }
  return nullptr;
}

LoopGradient* FlowGradients::of(const Node& node, bool of_outputs) const {
  if (loops_.empty()) return nullptr;
  const bool around = of_outputs && has_role(node, FlowRole::kExit);
  return of_loop(around ? loop_around_exit(node) : loop_of(node));
}

LoopContext* FlowGradients::loop_for(const Node& node, bool of_outputs) const {
  LoopGradient* const gradient = of(node, of_outputs);
  return gradient == nullptr ? nullptr : &gradient->loop();
}

void FlowGradients::finish() {
  for (const auto& gradient : loops_) {
    for (const auto& [node, merge] : gradient->merges_of_switches()) {
      const Endpoint first = merge.node->input(0);
      if (first != merge.node->input(1)) continue;
      Endpoint zeros_then;
      if (!first.shape().is_fully_defined()) {
        const InsideOf around(gradient->loop().outer_context());
        const Endpoint shape = builder_.op("Shape", {first.node->input(0)});
        zeros_then = endpoint_of(zeros(tensor_of(shape), DType::kFloat32));
      }
      const InsideOf inside(&gradient->loop());
      if (!zeros_then) zeros_then = builder_.constant(Array(base_dtype(first.dtype()), first.shape()));
      gradient->loop().close(merge, zeros_then);
    }
  }
}

// ---- zeros

Endpoint FlowGradients::zeros_for_exit(Endpoint exit) {
  const DType dtype = base_dtype(exit.dtype());
  LoopGradient* const outer = of_loop(loop_around_exit(*exit.node));
  if (exit.shape().is_fully_defined()) {
    const InsideOf inside(outer == nullptr ? nullptr : &outer->loop());
    return endpoint_of(zeros(exit.shape(), dtype));
  }
  if (outer == nullptr) return builder_.op("ZerosLike", {exit}, {}, "zeros_like");
  Endpoint shape;
  {
    const InsideOf there(context_of(*exit.node)->outer_context());
    shape = builder_.op("Shape", {exit});
  }
  const Endpoint stack = outer->push(shape);
  const InsideOf inside(&outer->loop());
  return endpoint_of(zeros(tensor_of(outer->pop(stack, shape)), dtype));
}

Endpoint FlowGradients::zeros_like(Node& node, int output) {
  if (has_loops()) {
    if (is_loop_switch(node)) return {};
    if (LoopGradient* const gradient = of_loop(loop_of(node))) return zeros_in_loop(*gradient, node, output);
  }
  return zeros_outside_of_loops(node, output);
}

namespace {

/// The dtype of the variable behind a handle, which may have come through Switch, Merge or Enter.
DType dtype_behind(Endpoint handle) {
  while (handle.node->op() != "VarHandleOp" && !handle.node->inputs().empty()) handle = handle.node->input(0);
  const graph::AttrValue* const dtype = handle.node->attrs().find("dtype");
  return dtype == nullptr ? DType::kFloat32 : dtype->get<DType>();
}

}  // namespace

/// A branch that is not taken gives zeros of what went into it.
Endpoint FlowGradients::zeros_outside_of_loops(Node& node, int output) {
  const BuildContext* const context = context_of(node);
  if (!has_role(node, FlowRole::kSwitch) || !is_branch(context)) {
    return builder_.op("ZerosLike", {node.output(output)}, {}, "zeros_like");
  }
  const auto& branch = static_cast<const BranchContext&>(*context);
  const auto [no, yes] = switch_node(builder_, node.input(0), branch.predicate());
  const Endpoint taken = branch.branch() == 1 ? no : yes;
  const Endpoint pivot = builder_.op("Identity", {taken});
  if (taken.dtype() == DType::kResource) {
    const ControlDependenciesGuard wait(&graph_, {pivot.node}, /*clears=*/false);
    const Endpoint shape = builder_.op("VariableShape", {taken});
    return endpoint_of(zeros(tensor_of(shape), dtype_behind(node.input(0))));
  }
  const Endpoint shape = builder_.op("Shape", {taken});
  const ControlDependenciesGuard wait(&graph_, {pivot.node}, /*clears=*/false);
  return endpoint_of(zeros(tensor_of(shape), base_dtype(node.output_dtype(output))));
}

Endpoint FlowGradients::zeros_in_loop(LoopGradient& gradient, Node& node, int output) {
  const bool is_dead = has_role(node, FlowRole::kSwitch);
  BuildContext* const context = context_of(node);
  const auto* const branch = is_dead ? static_cast<const BranchContext*>(context) : nullptr;
  const Endpoint value = node.output(output);
  const bool is_handle = value.dtype() == DType::kResource;  // of a variable, whose gradient is as its value
  const DType dtype = is_handle ? dtype_behind(node.input(0)) : base_dtype(value.dtype());
  const auto other_branch = [&](std::pair<Endpoint, Endpoint> both) {
    return branch->branch() == 1 ? both.first : both.second;
  };
  if (!is_handle && value.shape().is_fully_defined()) {
    const Endpoint constant = builder_.constant(Array(dtype, value.shape()));
    if (!is_dead) return constant;
    return other_branch(switch_beside(builder_, constant, gradient.known_predicate(branch->predicate())));
  }
  Endpoint shape;
  {
    const InsideOf there(is_dead ? context->outer_context() : context);
    const Endpoint shaped =
        is_dead ? other_branch(switch_beside(builder_, node.input(0), branch->predicate())) : value;
    shape = builder_.op(is_handle ? "VariableShape" : "Shape", {shaped});
    if (is_dead) {
      graph::FlowContexts::of(graph_).set(*shaped.node, context);
      graph::FlowContexts::of(graph_).set(*shape.node, context);
    }
  }
  Endpoint stack;
  {
    const OutsideOf outside(gradient.loop());
    stack = gradient.push(shape, is_dead);
  }
  return endpoint_of(zeros(tensor_of(gradient.pop(stack, shape, is_dead)), dtype));
}

// ---- gradients

std::vector<Endpoint> FlowGradients::differentiate(Node& node, const std::vector<Endpoint>& grads) {
  switch (node.schema().row.flow) {
    case FlowRole::kSwitch:
      return of_switch(node, grads);
    case FlowRole::kMerge:
      return of_merge(node, grads[0]);
    case FlowRole::kEnter:
      return {of_enter(node, grads[0])};
    case FlowRole::kExit:
      return {of_exit(node, grads[0])};
    case FlowRole::kNextIteration:
      return {grads[0]};
    default:
      return std::vector<Endpoint>(node.inputs().size());
  }
}

/// A loop's Switch is met twice: by its Exit first, which makes a Merge, and by the body then, which closes
/// the loop.
std::vector<Endpoint> FlowGradients::of_switch(Node& node, const std::vector<Endpoint>& grads) {
  BuildContext* const context = context_of(node);
  if (context == nullptr) {
    const Endpoint no = switch_node(builder_, grads[0], node.input(1)).first;
    const Endpoint yes = switch_node(builder_, grads[1], node.input(1)).second;
    return {merge_node(builder_, no, yes), {}};
  }
  if (is_branch(context)) {
    const int taken = static_cast<const BranchContext*>(context)->branch();
    if (const Endpoint grad = grads[static_cast<size_t>(taken)]; !grads[static_cast<size_t>(1 - taken)]) {
      if (!grad || node.input(0).dtype() != DType::kResource) return {{}, {}};
      return {merge_node(builder_, grad, grad, "cond_resource_grad"), {}};
    }
    return {merge_node(builder_, grads[0], grads[1], "cond_grad"), {}};
  }
  LoopContext& loop = *current_context(graph_)->loop();
  auto& merges = gradient_of(loop)->merges_of_switches();
  const auto met =
      std::find_if(merges.begin(), merges.end(), [&](const auto& item) { return item.first == &node; });
  if (met != merges.end()) {
    if (grads[1]) loop.close(met->second, grads[1]);
    return {{}, {}};
  }
  if (!grads[0]) return {{}, {}};
  const Endpoint merge = merge_node(builder_, grads[0], grads[0], "b_switch");
  merges.emplace_back(&node, merge);
  return {merge, {}};
}

std::vector<Endpoint> FlowGradients::of_merge(Node& node, Endpoint grad) {
  BuildContext* const from = output_context_of(*node.input(0).node);
  BuildContext* const current = current_context(graph_);
  LoopContext* const loop = current == nullptr ? nullptr : current->loop();
  if (from == nullptr) {
    std::vector<Endpoint> grads;
    std::vector<Endpoint> is_it;
    for (int i = 0; i < node.num_inputs(); ++i) {
      is_it.push_back(ops::python_with_right(builder_, "Equal", node.output(1), i, "Equal"));
    }
    for (const Endpoint& chosen : is_it) grads.push_back(switch_beside(builder_, grad, chosen).second);
    return grads;
  }
  if (from->is_loop()) {
    const auto [no, yes] = switch_beside(builder_, grad, loop->predicate());
    return {no, yes};
  }
  Endpoint predicate = static_cast<const BranchContext*>(from)->predicate();
  if (loop != nullptr && loop->forward_loop() != nullptr)
    predicate = gradient_of(*loop)->remembered_predicate(predicate);
  const auto [no, yes] = switch_beside(builder_, grad, predicate, "cond_grad");
  return {no, yes};
}

Endpoint FlowGradients::of_exit(Node& node, Endpoint grad) {
  LoopContext& loop = *current_context(graph_)->loop();
  if (!loop.traits().back_prop) return {};
  if (loop_of(node)->forward_loop() != nullptr)
    throw TypeError("Second-order gradient for while loops not supported.");
  loop.know(grad);
  const InsideOf inside(&loop);
  const Endpoint enter = loop.enter_node(grad, /*is_constant=*/false, LoopContext::Shape::kOfInput, "b_exit");
  loop.enters().push_back(enter);
  return enter;
}

Endpoint FlowGradients::of_enter(Node& node, Endpoint grad) {
  BuildContext* const current = current_context(graph_);
  LoopContext* const loop = current == nullptr ? nullptr : current->loop();
  if (loop == nullptr || !loop->traits().back_prop || loop->forward_loop() == nullptr) return grad;
  if (is_constant_enter(node)) return gradient_of(*loop)->sum_up(node, grad);
  const Endpoint exit = pass_on(builder_, "Exit", grad);
  loop->exits().push_back(exit);
  loop->hand_out({exit});
  return exit;
}

}  // namespace flowray::tf
