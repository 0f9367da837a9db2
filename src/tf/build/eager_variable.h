#pragma once
/// Variables of eager execution: value nodes that stand for a resource. In a graph, such as that of a
/// function which is traced, a node of the graph's own stands for the same resource.

#include <flowray/tf/tensor.h>

#include "graph/value_node.h"
#include "tf/build/collections.h"

#include <memory>
#include <utility>
#include <vector>

namespace flowray::tf {

/// What goes with the node of such a variable.
struct EagerVariable {
  std::shared_ptr<void> resource_name;  // ends with the variable
  std::weak_ptr<internal::VariableState> state;
};

/// The state behind a reference; null where it is not a variable's.
std::shared_ptr<internal::VariableState> state_of_eager_variable(const graph::Node& node);

/// The reference in `graph`: itself in the eager graph, else that of a node VariableV2 there.
graph::Endpoint reference_in(graph::Graph& graph, const Tensor& reference);

/// The variables that a graph has nodes for: outside and inside.
std::vector<std::pair<Tensor, graph::Endpoint>> eager_variables_in(graph::Graph& graph);

/// For the graph of a traced function: variables that are made in it are made in `to`, the eager graph, where
/// they stay, and only the first time.
struct LiftedVariables {
  graph::Graph* to = nullptr;
  bool is_first_trace = true;
};
inline LiftedVariables& lifted_variables(graph::Graph& graph) {
  return graph.attachment<LiftedVariables>("lifted_variables");
}

/// What it holds now, in the thread's default graph: a value, or a node that reads it.
Tensor read_eager_variable(const Tensor& reference);

}  // namespace flowray::tf
