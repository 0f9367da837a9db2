#include <flowray/tf/control_flow.h>

#include "graph/builder.h"
#include "tf/apply_op.h"

namespace flowray::tf {

Operation no_op(const std::string& name, Input::Where where) {
  graph::Graph& graph = default_graph();
  const UserLine line(graph, where);
  return Operation(graph::Builder(graph).node("NoOp", {}, {}, name));
}

Operation group(const std::vector<Dependency>& inputs, const std::string& name, Input::Where where) {
  graph::Graph& graph = inputs.empty() ? default_graph() : inputs.front().node()->graph();
  const UserLine line(graph, where);
  const GraphScope inside(&graph);
  const ControlDependenciesGuard wait = control_dependencies(inputs);
  return Operation(graph::Builder(graph).node("NoOp", {}, {}, name));
}

std::vector<Tensor> tuple(const std::vector<Tensor>& tensors, const std::string& name, Input::Where where) {
  std::vector<Dependency> gating;
  for (const Tensor& tensor : tensors) {
    if (tensor) gating.emplace_back(tensor);
  }
  if (gating.empty()) throw ValueError("Must have at least one Tensor: all of the tensors given are None.");
  graph::Graph& graph = gating.front().node()->graph();
  const UserLine line(graph, where);
  const graph::NameScope scope(graph, name);
  const Operation gate = group(gating, "group_deps", where);
  std::vector<Tensor> gated;
  for (const Tensor& tensor : tensors) {
    if (!tensor) {
      gated.emplace_back();
      continue;
    }
    const ColocationGuard with(&graph, colocation_groups(*tensor.node()));
    const ControlDependenciesGuard wait(&graph, {gate.node()}, /*clears=*/false);
    gated.push_back(tensor_of(graph::Builder(graph).op("Identity", {endpoint_of(tensor)}, {}, "control_dependency")));
  }
  return gated;
}

}  // namespace flowray::tf
