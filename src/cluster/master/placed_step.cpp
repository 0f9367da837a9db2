#include "cluster/master/placed_step.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
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

/// Whether TensorFlow cuts what a node calls at the devices of its nodes.
bool may_be_cut(const graph::Node& caller) {
  const engine::CallRole role = engine::call_role(caller.schema());
  if (role == engine::CallRole::kCall) return caller.op() != "SymbolicGradient";
  return role != engine::CallRole::kNone && role != engine::CallRole::kFunction;
}

/// What functions ask for: their own nodes, and the functions that they call. Each is looked at once.
class WishesOfFunctions {
 public:
  explicit WishesOfFunctions(const graph::FunctionLibrary& library) : library_(library) {}

  /// Whether a node of what `caller` calls asks for another task than the one that `device` is on.
  bool span_tasks(const graph::Node& caller, const std::string& device) {
    if (!may_be_cut(caller)) return false;
    const auto there = DeviceName::parse(device);
    std::unordered_set<std::string_view> seen;
    std::vector<std::string> left = engine::FunctionBodies::function_names(caller);
    while (!left.empty()) {
      const std::string name = std::move(left.back());
      left.pop_back();
      const Wishes* const wishes = of(name);
      if (wishes == nullptr || !seen.insert(wishes->name).second) continue;
      for (const std::string& wished : wishes->devices) {
        const auto wish = DeviceName::parse(wished);
        if (!wish || !there || !wish->includes_task_of(*there)) return true;
      }
      left.insert(left.end(), wishes->called.begin(), wishes->called.end());
    }
    return false;
  }

 private:
  struct Wishes {
    std::string_view name;  // the key
    std::set<std::string> devices;
    std::set<std::string> called;
  };

  /// Null where there is no such function.
  const Wishes* of(const std::string& name) {
    const auto known = wishes_.find(name);
    if (known != wishes_.end()) return &known->second;
    const graph::LibraryFunction* const function = library_.find(name);
    if (function == nullptr) return nullptr;
    const auto made = wishes_.try_emplace(name).first;
    made->second.name = made->first;
    for (const wire::NodeDef& node : function->definition.node_def) {
      if (!node.device.view().empty()) made->second.devices.insert(node.device.str());
      for (std::string& called : functions_of(node)) {
        if (library_.find(called) != nullptr) made->second.called.insert(std::move(called));
      }
    }
    return &made->second;
  }

  const graph::FunctionLibrary& library_;
  std::map<std::string, Wishes> wishes_;
};

}  // namespace

bool names_devices(const graph::FunctionLibrary& library) {
  const wire::FunctionDefLibrary all = library.message();
  return std::ranges::any_of(all.function, [](const wire::FunctionDef& function) {
    return std::ranges::any_of(function.node_def,
                               [](const wire::NodeDef& node) { return !node.device.view().empty(); });
  });
}

PlacedStep placed_step(const engine::StepRequest& request, const engine::DeviceSet& set,
                       const graph::FunctionLibrary& library) {
  engine::StepGraph flat = engine::prune(request);
  std::vector<uint32_t> device_of = engine::place(flat, set);
  if (!names_devices(library)) return {std::move(flat), std::move(device_of), library, nullptr};
  WishesOfFunctions functions(library);
  const auto is_cut = [&](const graph::Node& call, const std::string& device) {
    return functions.span_tasks(call, device);
  };
  std::vector<std::string> wishes;
  bool is_any_cut = false;
  for (size_t n = 0; n < flat.nodes.size(); ++n) {
    const graph::Node& node = *flat.nodes[n].node;
    if (!may_be_cut(node)) {
      wishes.push_back(node.device());
      continue;
    }
    wishes.push_back(set.devices[device_of[n]].to_string());
    is_any_cut = is_any_cut || is_cut(node, wishes.back());
  }
  if (!is_any_cut) return {std::move(flat), std::move(device_of), library, nullptr};
  engine::LoweredStep lowered =
      engine::lower_calls(flat, std::move(wishes), engine::with_extensions(flat, request.targets), is_cut);
  device_of = engine::place(lowered.graph, set, lowered.devices);
  return {std::move(lowered.graph), std::move(device_of), library, std::move(lowered.flow)};
}

}  // namespace flowray::cluster
