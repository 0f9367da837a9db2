#include "cluster/master/placed_step.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "engine/step/extended_calls.h"
#include "engine/step/function_bodies.h"
#include "engine/step/lower_calls.h"
#include "graph/device_name.h"

namespace flowray::cluster {
namespace {

using graph::DeviceName;

/// The functions that a node of a body names, by its op or its attributes.
std::vector<std::string> functions_of(const wire::NodeDef& node) {
  using Attr = wire::AttrValue;
  std::vector<std::string> names = {node.op.str()};
  for (const auto& [key, attr] : node.attr) {
    if (attr.value.index() == Attr::kFunc) names.push_back(std::get<Attr::kFunc>(attr.value)->name.str());
    if (attr.value.index() != Attr::kList) continue;
    for (const wire::NameAttrList& function : std::get<Attr::kList>(attr.value)->func)
      names.push_back(function.name.str());
  }
  return names;
}

/// Those of a node that TensorFlow cuts at the devices of their nodes.
size_t num_functions(const graph::Node& caller) {
  switch (engine::call_role(caller.schema())) {
    case engine::CallRole::kCall:
      return caller.op() == "SymbolicGradient" ? 0 : 1;
    case engine::CallRole::kIf:
    case engine::CallRole::kWhile:
      return 2;
    case engine::CallRole::kCase:
      return engine::FunctionBodies::count(caller);
    case engine::CallRole::kFunction:
    case engine::CallRole::kNone:
      break;
  }
  return 0;
}

/// Whether a node of a function that `caller` calls, or that those call, asks for another task than the one
/// that `device` is on.
bool spans_tasks(const graph::Node& caller, const std::string& device,
                 const graph::FunctionLibrary& library) {
  const auto there = DeviceName::parse(device);
  std::vector<std::string> left;
  for (size_t i = 0; i < num_functions(caller); ++i)
    left.push_back(engine::FunctionBodies::function_name(caller, i));
  std::unordered_set<std::string> seen;
  while (!left.empty()) {
    const std::string name = std::move(left.back());
    left.pop_back();
    if (!seen.insert(name).second) continue;
    const graph::LibraryFunction* function = library.find(name);
    if (function == nullptr) continue;
    for (const wire::NodeDef& node : function->definition.node_def) {
      for (std::string& called : functions_of(node)) left.push_back(std::move(called));
      if (node.device.view().empty()) continue;
      const auto wish = DeviceName::parse(node.device);
      if (!wish || !there || !wish->includes_task_of(*there)) return true;
    }
  }
  return false;
}

bool names_devices(const graph::FunctionLibrary& library) {
  const wire::FunctionDefLibrary all = library.message();
  return std::ranges::any_of(all.function, [](const wire::FunctionDef& function) {
    return std::ranges::any_of(function.node_def,
                               [](const wire::NodeDef& node) { return !node.device.view().empty(); });
  });
}

}  // namespace

PlacedStep placed_step(const engine::StepRequest& request, const engine::DeviceSet& set,
                       const graph::FunctionLibrary& library) {
  engine::StepGraph flat = engine::prune(request);
  std::vector<uint32_t> device_of = engine::place(flat, set);
  if (!names_devices(library)) return {std::move(flat), std::move(device_of), nullptr};
  const auto is_cut = [&](const graph::Node& call, const std::string& device) {
    return spans_tasks(call, device, library);
  };
  std::vector<std::string> wishes;
  bool is_any_cut = false;
  for (size_t n = 0; n < flat.nodes.size(); ++n) {
    const graph::Node& node = *flat.nodes[n].node;
    if (num_functions(node) == 0) {
      wishes.push_back(node.device());
      continue;
    }
    wishes.push_back(set.devices[device_of[n]].to_string());
    is_any_cut = is_any_cut || is_cut(node, wishes.back());
  }
  if (!is_any_cut) return {std::move(flat), std::move(device_of), nullptr};
  engine::LoweredStep lowered =
      engine::lower_calls(flat, std::move(wishes), engine::with_extensions(flat, request.targets), is_cut);
  device_of = engine::place(lowered.graph, set, lowered.devices);
  return {std::move(lowered.graph), std::move(device_of), std::move(lowered.flow)};
}

}  // namespace flowray::cluster
