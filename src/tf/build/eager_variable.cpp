#include "tf/build/eager_variable.h"

#include "core/mutex.h"
#include "graph/builder.h"
#include "tf/build/apply_op.h"

#include <map>
#include <string>

namespace flowray::tf {
namespace {

/// The variables of outside that a graph has nodes for. They live as long as the graph.
struct EagerVariablesInside {
  Mutex mutex;
  std::map<const graph::Node*, std::pair<Tensor, graph::Node*>> nodes FLOWRAY_GUARDED_BY(mutex);
};

}  // namespace

std::shared_ptr<internal::VariableState> state_of_eager_variable(const graph::Node& node) {
  if (!node.is_value() || node.op() != "VariableV2") return nullptr;
  const auto& extra = static_cast<const graph::ValueNode&>(node).extra();
  return extra == nullptr ? nullptr : static_cast<const EagerVariable*>(extra.get())->state.lock();
}

graph::Endpoint reference_in(graph::Graph& graph, const Tensor& reference) {
  graph::Node* const outside = reference.node();
  if (!outside->is_value() || graph.is_eager()) return endpoint_of(reference);
  auto& inside = graph.attachment<EagerVariablesInside>("eager_variables");
  const MutexLock lock(inside.mutex);
  auto& [held, node] = inside.nodes[outside];
  if (node == nullptr) {
    held = reference;
    const ControlDependenciesGuard free(&graph, {}, /*clears=*/true);
    const graph::NameScope root(graph, "");
    node = graph::Builder(graph).node("VariableV2", {},
                                      {{"dtype", base_dtype(outside->output_dtype(0))},
                                       {"shape", outside->output_shape(0)},
                                       {"container", outside->attrs().get<std::string>("container")},
                                       {"shared_name", outside->attrs().get<std::string>("shared_name")}},
                                      outside->name());
  }
  return node->output(0);
}

std::vector<std::pair<Tensor, graph::Endpoint>> eager_variables_in(graph::Graph& graph) {
  auto& inside = graph.attachment<EagerVariablesInside>("eager_variables");
  const MutexLock lock(inside.mutex);
  std::vector<std::pair<Tensor, graph::Endpoint>> variables;
  for (const auto& [outside, held] : inside.nodes) variables.emplace_back(held.first, held.second->output(0));
  return variables;
}

Tensor read_eager_variable(const Tensor& reference) {
  graph::Graph& graph = default_graph();
  const graph::Endpoint inside = reference_in(graph, reference);
  return tensor_of(graph::Builder(graph).op("Identity", {inside}, {}, "ReadVariableOp"));
}

}  // namespace flowray::tf
