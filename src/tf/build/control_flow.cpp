#include <flowray/tf/control_flow.h>

#include "graph/builder.h"
#include "tf/build/call_scope.h"
#include "tf/build/unset.h"

#include <algorithm>
#include <map>

namespace flowray::tf {

Operation no_op(const std::string& name, Input::Where where) {
  graph::Graph& graph = default_graph();
  const UserLine line(graph, where);
  return Operation(graph::Builder(graph).node("NoOp", {}, {}, name));
}

namespace {

/// A NoOp on `device` that waits for `nodes`.
Operation wait_on(graph::Graph& graph, const std::string& device, const std::vector<graph::Node*>& nodes,
                  std::string_view name) {
  const ControlDependenciesGuard wait(&graph, nodes, /*clears=*/false);
  const DeviceGuard there(&graph, device);
  return Operation(graph::Builder(graph).node("NoOp", {}, {}, name));
}

}  // namespace

/// What runs on several devices is waited for on each of them, so that one message from each will do.
Operation group(const List<Dependency>& inputs, const std::string& name, Input::Where where) {
  const ErrorLine errors(where);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].node() == nullptr) throw_unset_dependency("inputs", i);
  }
  graph::Graph& graph = inputs.empty() ? default_graph() : inputs.front().node()->graph();
  const CallScope call(graph, where);
  std::map<std::string, std::vector<graph::Node*>> on_device;
  for (const Dependency& input : inputs) {
    if (&input.node()->graph() != &graph) (void)control_dependencies(inputs);  // says what is wrong
    std::vector<graph::Node*>& nodes = on_device[input.node()->device()];
    if (std::find(nodes.begin(), nodes.end(), input.node()) == nodes.end()) nodes.push_back(input.node());
  }
  if (on_device.empty()) on_device[""];
  if (on_device.size() == 1) {
    const auto& [device, nodes] = *on_device.begin();
    return wait_on(graph, device, nodes, name);
  }
  const graph::NameScope scope(graph, name);
  std::vector<graph::Node*> parts;
  for (const auto& [device, nodes] : on_device) parts.push_back(wait_on(graph, device, nodes, "NoOp").node());
  return wait_on(graph, "", parts, scope.path());
}

std::vector<Tensor> tuple(const List<Tensor>& tensors, const std::string& name, Input::Where where) {
  const ErrorLine errors(where);
  std::vector<Dependency> gating;
  for (const Tensor& tensor : tensors) {
    if (tensor.has_value()) gating.emplace_back(tensor);
  }
  if (gating.empty()) throw ValueError("Must have at least one Tensor: all of the tensors given are None.");
  graph::Graph& graph = gating.front().node()->graph();
  const UserLine line(graph, where);
  const graph::NameScope scope(graph, name);
  const Operation gate = group(gating, "group_deps", where);
  std::vector<Tensor> gated;
  for (const Tensor& tensor : tensors) {
    if (!tensor.has_value()) {
      gated.emplace_back();
      continue;
    }
    const ColocationGuard with(&graph, colocation_groups(*tensor.node()));
    const ControlDependenciesGuard wait(&graph, {gate.node()}, /*clears=*/false);
    gated.push_back(
        tensor_of(graph::Builder(graph).op("Identity", {endpoint_of(tensor)}, {}, "control_dependency")));
  }
  return gated;
}

}  // namespace flowray::tf
