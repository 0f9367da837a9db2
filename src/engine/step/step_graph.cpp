#include "engine/step/step_graph.h"

#include "engine/step/drop.h"
#include "engine/step/extended_calls.h"
#include "engine/step/partition.h"
#include "engine/step/place.h"
#include "engine/step/reread.h"
#include "engine/step/share.h"
#include "engine/program/token_program.h"
#include "engine/program/verify.h"
#include "graph/resource/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {

namespace {

/// Whether branches or loops go over several devices: then what comes from there may be a dead value, and is
/// another one in each iteration.
bool may_receive_dead(const StepGraph& step) {
  return std::ranges::any_of(step.nodes, [&](const StepNode& item) {
    if (item.kind != StepKind::kOp || !graph::is_transfer(item.node->schema())) return false;
    // Of the transfers of others it is known only that they come and go where nothing branches.
    const graph::AttrValue* const told = item.node->attrs().find(kMayBeDead);
    return told == nullptr ? has_control_flow(step) : told->get<bool>();
  });
}

}  // namespace

StepGraph make_step_graph(const StepRequest& request, const PassOptions& passes, const DeviceSet* devices) {
  const auto checked = [&](StepGraph graph) {
    if (passes.verify) verify(graph);
    return graph;
  };
  StepGraph graph = prune(request);
  const std::vector<graph::Node*> targets = with_extensions(graph, request.targets);
  if (devices != nullptr) (void)place(graph, *devices);  // there is one device: whether it is the right one
  if (!has_control_flow(graph)) graph = checked(reread_updated(std::move(graph)));
  if (calls_functions(graph)) graph = call_functions(graph, targets);
  const bool runs_as_tokens = !passes.raise && has_control_flow(graph);
  graph = checked(runs_as_tokens ? as_tokens(std::move(graph)) : structured(std::move(graph)));
  if (passes.drop) graph = checked(drop_unread(std::move(graph), targets));
  if (passes.share) graph = checked(share(std::move(graph)));
  return checked(blocking_first(std::move(graph)));
}

bool chooses_variable(const graph::Node& node) {
  return node.num_outputs() > 0 && is_ref(node.output_dtype(0)) && node.num_inputs() > 1 &&
         !is_ref(node.input(0).dtype());
}

StepGraph structured(StepGraph flat) {
  if (may_receive_dead(flat))
    return as_tokens(std::move(flat), nullptr, "its branches go over several devices");
  const auto chooser = std::ranges::find_if(
      flat.nodes, [](const StepNode& item) { return item.node != nullptr && chooses_variable(*item.node); });
  if (chooser == flat.nodes.end() && !has_control_flow(flat)) return flat;
  try {
    if (chooser != flat.nodes.end())
      throw IrregularFlow(*chooser->node, "its variable is known only in the run");
    return raise_control_flow(flat);
  } catch (const IrregularFlow& irregular) {
    return as_tokens(std::move(flat), &irregular.node(), irregular.what());
  }
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
