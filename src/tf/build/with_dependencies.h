#pragma once
/// A tensor that is not there before others ran, as TensorFlow's own functions make it.

#include <flowray/tf/graph.h>

#include "tf/build/apply_op.h"

#include <string_view>
#include <vector>

namespace flowray::tf {

/// `tensor` after `dependencies`: an Identity "control_dependency", or of another name, beside it.
inline Tensor with_dependencies(const std::vector<Operation>& dependencies, const Tensor& tensor,
                                std::string_view name = "control_dependency") {
  graph::Graph& graph = tensor.node()->graph();
  std::vector<graph::Node*> nodes;
  for (const Operation& dependency : dependencies) nodes.push_back(dependency.node());
  const graph::NameScope scope(graph, name);
  const ColocationGuard beside(&graph, colocation_groups(*tensor.node()));
  const ControlDependenciesGuard after(&graph, std::move(nodes), /*clears=*/false);
  return tensor_of(graph::Builder(graph).op("Identity", {endpoint_of(tensor)}, {}, scope.path()));
}

}  // namespace flowray::tf
