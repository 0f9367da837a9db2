#include "cluster/master/function_devices.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "engine/step/function_bodies.h"
#include "graph/device_name.h"

namespace flowray::cluster {
namespace {

using graph::DeviceName;

/// What has a name by which it is found again.
bool makes_state(const wire::NodeDef& node, const graph::OpTable& ops) {
  const graph::OpSchema* schema = ops.find(node.op);
  return schema != nullptr && schema->find_attr("shared_name") != nullptr;
}

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

/// Those of a node that TensorFlow would cut at the devices of their nodes. What is called by its own name,
/// and gradients of that, it runs whole as well.
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

/// The functions that one node of a step calls, and those that they call.
class Calls {
 public:
  Calls(const graph::Node& caller, const DeviceName& there, const graph::FunctionLibrary& library)
      : caller_(caller), there_(there), library_(library) {}

  void check() {
    for (size_t i = 0; i < num_functions(caller_); ++i)
      left_.push_back(engine::FunctionBodies::function_name(caller_, i));
    while (!left_.empty()) {
      const std::string name = std::move(left_.back());
      left_.pop_back();
      if (!seen_.insert(name).second) continue;
      if (const graph::LibraryFunction* function = library_.find(name)) check(name, function->definition);
    }
  }

 private:
  void check(const std::string& name, const wire::FunctionDef& function) {
    for (const wire::NodeDef& node : function.node_def) {
      for (std::string& called : functions_of(node)) left_.push_back(std::move(called));
      if (node.device.view().empty() || !makes_state(node, caller_.graph().ops())) continue;
      const auto wish = DeviceName::parse(node.device);
      if (wish.has_value() && wish->includes_task_of(there_)) continue;
      throw errors::UnimplementedError(
          fmt::format("Function {} makes {} ({}) on {}, but runs on {}, where {{{{node {}}}}} calls it\n"
                      "A function runs whole where its caller is: call it on that task, or make the {} "
                      "outside of it and pass its handle.\n\t [[{{{{node {}}}}}]]",
                      name, node.name.view(), node.op.view(), node.device.view(), there_.to_string(),
                      caller_.name(), node.op.view(), caller_.name()),
          caller_.name());
    }
  }

  const graph::Node& caller_;
  const DeviceName& there_;
  const graph::FunctionLibrary& library_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> left_;
};

}  // namespace

bool names_devices_of_state(const graph::FunctionLibrary& library, const graph::OpTable& ops) {
  const wire::FunctionDefLibrary all = library.message();
  return std::ranges::any_of(all.function, [&](const wire::FunctionDef& function) {
    return std::ranges::any_of(function.node_def, [&](const wire::NodeDef& node) {
      return !node.device.view().empty() && makes_state(node, ops);
    });
  });
}

void check_devices_in_functions(const engine::StepGraph& step, std::span<const uint32_t> device_of,
                                const engine::DeviceSet& set, const graph::FunctionLibrary& library) {
  for (size_t n = 0; n < step.nodes.size(); ++n)
    Calls(*step.nodes[n].node, set.devices[device_of[n]], library).check();
}

}  // namespace flowray::cluster
