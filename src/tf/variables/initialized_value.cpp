#include "tf/variables/initialized_value.h"

#include <flowray/tf/control_flow.h>

#include "tf/build/apply_op.h"
#include "tf/build/collections.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace flowray::tf {
namespace {

using graph::Endpoint;
using graph::Node;

bool is_variable(const Node& node) { return node.op() == "VariableV2" || node.op() == "Variable"; }

/// The nodes that `from` depends on, itself included; empty where there is a loop among them or no variable.
std::vector<Node*> nodes_above(Node* from) {
  std::vector<Node*> all = {from};
  std::map<Node*, bool> seen = {{from, true}};
  bool has_variable = false;
  for (size_t i = 0; i < all.size(); ++i) {
    Node* const node = all[i];
    if (node->op() == "NextIteration") return {};
    has_variable = has_variable || is_variable(*node);
    for (size_t k = 0; k < node->inputs().size(); ++k) {
      Node* const input = node->input(static_cast<int>(k)).node;
      if (seen.emplace(input, true).second) all.push_back(input);
    }
  }
  return has_variable ? all : std::vector<Node*>();
}

class SafeCopy {
 public:
  SafeCopy(graph::Graph& graph, std::string owner) : graph_(graph), owner_(std::move(owner)) {}

  Endpoint of(Endpoint value) {
    const auto known = copies_.find(value.node);
    Node* const copy = known == copies_.end() ? copies_[value.node] = copy_of(value.node) : known->second;
    // A value that stands for a variable is one of a Merge, its output 0, as the reference was.
    return {copy, value.index};
  }

 private:
  /// The node itself where nothing above it changes.
  Node* copy_of(Node* node) {
    if (node->op() == "IsVariableInitialized") return node;
    if (is_variable(*node)) return value_of(node);
    std::vector<Endpoint> inputs;
    bool changed = false;
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Endpoint input = node->input(static_cast<int>(i));
      inputs.push_back(of(input));
      changed = changed || inputs.back().node != input.node;
    }
    if (!changed) return node;
    const graph::NameScope root(graph_, "");
    const std::string op = node->op() == "RefSwitch" ? "Switch" : std::string(node->op());
    return graph::Builder(graph_).node(op, std::move(inputs), node->attrs(), node->name() + "_" + owner_);
  }

  Node* value_of(Node* node) {
    for (const char* key : {internal::kGlobalVariables, internal::kLocalVariables}) {
      for (const auto& state : internal::collections_of(graph_).variables(key)) {
        if (state->node == node) return initialized_value(Variable(state)).node();
      }
    }
    return node;
  }

  graph::Graph& graph_;
  const std::string owner_;
  std::map<Node*, Node*> copies_;
};

}  // namespace

Tensor initialized_value(const Variable& variable) {
  const Graph graph = variable.graph();
  const GraphScope in_graph = graph.as_default();
  const ControlDependenciesGuard outside_of_scopes = no_control_dependencies();
  Tensor is_initialized;
  {
    std::optional<ColocationGuard> with;
    if (!variable.is_resource()) with.emplace(graph.get(), colocation_groups(*variable.op().node()));
    is_initialized = is_variable_initialized(variable);
  }
  return cond(
      is_initialized, [&] { return variable.read_value(); }, [&] { return variable.initial_value(); });
}

Endpoint safe_initial_value(Endpoint value, const std::string& owner) {
  if (nodes_above(value.node).empty()) return value;
  return SafeCopy(value.node->graph(), owner).of(value);
}

}  // namespace flowray::tf
