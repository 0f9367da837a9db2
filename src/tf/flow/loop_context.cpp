#include "tf/flow/loop_context.h"

#include "graph/exchange/function_library.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {

using graph::Endpoint;
using graph::FlowRole;
using graph::Node;

bool has_role(const Node& node, FlowRole role) { return node.schema().row.flow == role; }

bool is_constant_enter(const Node& node) {
  return has_role(node, FlowRole::kEnter) && node.attrs().get<bool>("is_constant");
}

LoopContext* loop_of(const Node& node) {
  BuildContext* const context = context_of(node);
  return context == nullptr ? nullptr : context->loop();
}

bool is_at_least_as_known(const TensorShape& narrow, const TensorShape& wide) {
  if (!wide.has_rank()) return true;
  if (narrow.rank() != wide.rank()) return false;
  for (int i = 0; i < wide.rank(); ++i) {
    if (wide.dim(i) >= 0 && wide.dim(i) != narrow.dim(i)) return false;
  }
  return true;
}

LoopContext::LoopContext(graph::Graph& graph, BuildContext* outer, const LoopTraits& traits,
                         std::string_view name)
    : BuildContext(graph, outer), frame_name_(graph.unique_name(name)), traits_(traits) {}

// ---- values from outside

Endpoint LoopContext::bring_in(Endpoint value) {
  if (knows(value) || context_of(*value.node) == this) return stand_in(value);
  know(value);
  bool is_from_forward = false;
  const Endpoint remembered = from_forward(value, &is_from_forward);
  if (is_from_forward) {
    let_stand_in(value, remembered);
    return remembered;
  }
  const Endpoint outside = outer_context() == nullptr ? value : outer_context()->bring_in(value);
  Endpoint enter;
  {
    const WithoutScopes free(graph_);
    enter = enter_node(outside, /*is_constant=*/true, Shape::kOfInput);
  }
  fix_enter(enter);
  know(enter);
  let_stand_in(value, enter);
  return enter;
}

/// For a gradient's loop: what its loop computed is there no more, but has been remembered.
Endpoint LoopContext::from_forward(Endpoint value, bool* found) {
  BuildContext* const current = current_context(graph_);
  LoopContext* const building = current == nullptr ? nullptr : current->loop();
  if (building == nullptr || building->forward_loop() == nullptr) return {};
  BuildContext* const from = output_context_of(*value.node);
  LoopContext* const loop = from == nullptr ? nullptr : from->loop();
  if (loop != building->forward_loop()) return {};
  *found = true;
  return building->remembered(value);
}

Endpoint LoopContext::enter_node(Endpoint value, bool is_constant, Shape shape, std::string_view name) {
  const Endpoint enter = flow_node(builder_, "Enter", {value},
                                   {{"frame_name", frame_name_},
                                    {"is_constant", is_constant},
                                    {"parallel_iterations", traits_.parallel_iterations}},
                                   name);
  if (shape == Shape::kOfInput) enter.node->merge_output_shape(0, value.shape());
  return enter;
}

/// Lets an Enter wait for those of its control inputs that are outside of this loop,
/// up to the loop around it.
void LoopContext::fix_enter(Endpoint enter) {
  Node& node = *enter.node;
  graph::Scopes& scopes = graph_.scopes();
  BuildContext* const loop_around = outer_context() == nullptr ? nullptr : outer_context()->loop();
  const std::vector<Node*> asked = graph::asked_controls(scopes, node.inputs());
  contexts().set(node, this);
  contexts().forbid_feeding(node);
  for (Node* control : asked) {
    const BuildContext* const from = output_context_of(*control);
    const BuildContext* around = outer_context();
    while (around != from && around != nullptr && around != loop_around) around = around->outer_context();
    if (around == from) node.add_control_input(control);
  }
  const auto by_id = [](const Node* a, const Node* b) { return a->id() < b->id(); };
  for (auto frame = scopes.control.rbegin(); frame != scopes.control.rend(); ++frame) {
    auto& made = frame->made_inside;
    made.insert(std::upper_bound(made.begin(), made.end(), &node, by_id), &node);
    if (frame->clears) break;
  }
}

// ---- nodes inside

/// A gradient's loop asks for a shape: it is taken where the value is computed, so that the shape is
/// remembered and not the value.
graph::FlowContext* LoopContext::home_of(const graph::NodeRequest& request) {
  if (forward_loop() == nullptr) return this;
  if (request.op != "Shape" && request.op != "Size" && request.op != "Rank") return this;
  const Node& input = *request.inputs[0].node;
  return loop_of(input) == forward_loop() ? context_of(input) : this;
}

namespace {

/// What it makes may run before its inputs have come, where the call is replaced by the function's body.
bool calls_function(const Node& node) {
  return node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall";
}

}  // namespace

void LoopContext::node_made(Node& node, const std::vector<Node*>& outside_controls) {
  if (calls_function(node)) node.add_control_input(pivot_node());
  if (node.num_inputs() > 0) bring_in_inputs(node);
  const bool is_free =
      graph::is_function_call(node.schema()) || std::ranges::all_of(node.inputs(), [](const Endpoint& input) {
        return is_constant_enter(*input.node);
      });
  // What changes in no iteration would otherwise run before the loop knows that there is one.
  if (node.control_inputs().empty() && is_free) node.add_control_input(pivot_node());
  for (int i = 0; i < node.num_outputs(); ++i) know(node.output(i));
  keep_inside(node);
  if (outside_controls.empty()) return;
  std::vector<Node*> inside;
  {
    const WithoutScopes free(graph_);
    const InsideOf here(this);
    for (Node* control : outside_controls) {
      if (control->num_outputs() == 0) continue;
      inside.push_back(builder_.op("Identity", {control->output(0)}).node);
    }
  }
  for (Node* control : inside) node.add_control_input(control);
}

// ---- building

void LoopContext::begin(const std::vector<Endpoint>& enters) {
  Node* around = nullptr;
  for (BuildContext* outer = outer_context(); outer != nullptr && around == nullptr;
       outer = outer->outer_context()) {
    around = outer->pivot_node();
  }
  for (const Endpoint& enter : enters) {
    if (around != nullptr && is_constant_enter(*enter.node->input(0).node))
      enter.node->add_control_input(around);
  }
  for (const Endpoint& enter : enters) fix_enter(enter);
  known_.clear();
  for (const Endpoint& enter : enters) know(enter);
  enters_ = enters;
}

Endpoint LoopContext::close(Endpoint merge, Endpoint value) {
  const Endpoint next = pass_on(builder_, "NextIteration", value);
  merge.node->close_loop(1, next);
  return next;
}

}  // namespace flowray::tf
