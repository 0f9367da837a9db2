#include "graph/exchange/import_surroundings.h"

#include <algorithm>

namespace flowray::graph {

ImportSurroundings::ImportSurroundings(Graph& graph)
    : graph_(graph),
      contexts_(FlowContexts::of(graph)),
      context_(contexts_.any() ? contexts_.current(graph.scopes()) : nullptr),
      // The control inputs that each node gets, whatever it takes: TensorFlow does not look here whether an
      // input waits already.
      asked_(asked_controls(graph.scopes(), {})) {}

std::vector<Node*> ImportSurroundings::add_controls(std::vector<Node*>& controls) const {
  for (Node* control : asked_) {
    if (std::ranges::find(controls, control) == controls.end()) controls.push_back(control);
  }
  FlowContext* const loop = loop_around(context_);
  if (loop == nullptr) return {};
  // No context knows the message's nodes yet: all will be in this one, and what an Exit gives around it.
  const bool exits_join = loop_around(context_->outer()) == loop;
  const auto joins = [&](const Node* control) {
    return outside_controls_.contains(control) &&
           (exits_join || control->schema().row.flow != FlowRole::kExit);
  };
  const auto first_other = std::stable_partition(controls.begin(), controls.end(), joins);
  std::vector<Node*> others(first_other, controls.end());
  controls.erase(first_other, controls.end());
  std::vector<Node*> outside = context_->take_outside_controls(others);
  controls.insert(controls.end(), others.begin(), others.end());
  return outside;
}

void ImportSurroundings::expect(const Node& node, std::vector<Node*> outside_controls) {
  if (!contexts_.any()) return;
  check_inputs_from_context(contexts_, node, context_);
  if (context_ != nullptr) outside_controls_.emplace(&node, std::move(outside_controls));
}

void ImportSurroundings::take_in(const std::vector<Node*>& nodes) {
  std::vector<Scopes::ControlFrame>& frames = graph_.scopes().control;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    frame->made_inside.insert(frame->made_inside.end(), nodes.begin(), nodes.end());
    if (frame->clears) break;  // those around it are not in force
  }
  if (context_ == nullptr) return;
  // All of them are in it before the first one asks: a loop's Merge takes what is made last.
  for (const Node* node : nodes) contexts_.set(*node, home_of(*node));
  for (Node* node : nodes) contexts_.of_node(*node)->node_made(*node, outside_controls_.at(node));
}

FlowContext* ImportSurroundings::home_of(const Node& node) const {
  return context_->home_of(
      {.op = node.op(), .name = {}, .inputs = {node.inputs().begin(), node.inputs().end()}});
}

}  // namespace flowray::graph
