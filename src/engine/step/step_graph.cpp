#include "engine/step/step_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {

bool has_control_flow(const StepGraph& step) {
  return std::ranges::any_of(step.nodes, [](const StepNode& item) {
    return item.node->schema().row.flow != graph::FlowRole::kNone;
  });
}

bool has_checks(const StepGraph& step) {
  return std::ranges::any_of(step.nodes, [&](const StepNode& item) {
    const auto stands_for_one = [&](ValueId id) { return stands_for_resource(step.values[id].dtype()); };
    if (item.kind != StepKind::kOp) return std::ranges::any_of(item.bodies, has_checks);
    return item.node->num_outputs() == 0 && item.node->schema().row.stateful &&
           std::ranges::none_of(item.inputs, stands_for_one);
  });
}

IrregularFlow::IrregularFlow(const graph::Node& node, const std::string& reason)
    : node_(node),
      text_(fmt::format(
          "The control flow around node '{}' ({}) is not made of nested conditionals and loops: {}",
          node.name(), node.op(), reason)) {}

std::string StepValue::name() const { return endpoint ? endpoint.name() : known.to_string(); }

std::string to_text(const StepGraph& step, int indent) {
  static constexpr const char* kBodies[][2] = {{"", ""}, {"else", "then"}, {"cond", "body"}, {"nodes", ""}};
  std::string text;
  for (const StepNode& item : step.nodes) {
    const char* const op = item.kind == StepKind::kIf       ? "If"
                           : item.kind == StepKind::kWhile  ? "While"
                           : item.kind == StepKind::kTokens ? "Tokens"
                                                            : item.node->op().c_str();
    text += fmt::format("{:{}}{} = {}(", "", indent, item.node->name(), op);
    std::string inputs;
    for (ValueId input : item.inputs) {
      const StepValue& value = step.values[input];
      inputs +=
          fmt::format("{}{}{}", inputs.empty() ? "" : ", ", value.producer < 0 ? "fed " : "", value.name());
    }
    for (uint32_t control : item.controls) {
      inputs += fmt::format("{}^{}", inputs.empty() ? "" : ", ", step.nodes[control].node->name());
    }
    text += inputs + ")\n";
    if (!item.reason.empty()) text += fmt::format("{:{}}because: {}\n", "", indent + 2, item.reason);
    for (size_t i = 0; i < item.bodies.size(); ++i) {
      const StepGraph& body = item.bodies[i];
      text +=
          fmt::format("{:{}}{}:\n{}{:{}}gives", "", indent + 2, kBodies[static_cast<size_t>(item.kind)][i],
                      to_text(body, indent + 4), "", indent + 4);
      for (const ValueId id : body.fetches)
        text += " " + (id == kNoValue ? "nothing" : body.values[id].name());
      text += "\n";
    }
  }
  return text;
}

}  // namespace flowray::engine
