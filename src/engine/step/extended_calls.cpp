#include "engine/step/extended_calls.h"

#include "engine/step/function_bodies.h"
#include "graph/exchange/node_links.h"

#include <algorithm>
#include <string>
#include <vector>

namespace flowray::engine {
namespace {

/// A name may be that of another node where a graph was put together by hand.
bool can_extend(const graph::Node& extension, const graph::Node& call) {
  return &call != &extension && call_role(call.schema()) != CallRole::kNone &&
         call.num_outputs() <= extension.num_outputs() && call.num_inputs() <= extension.num_inputs() &&
         std::ranges::equal(call.inputs(), extension.inputs().first(call.inputs().size()));
}

}  // namespace

std::vector<graph::Node*> extended_calls(const graph::Node& extension) {
  std::vector<graph::Node*> calls;
  if (call_role(extension.schema()) == CallRole::kNone) return calls;
  const graph::AttrValue* const mark = extension.attrs().find(graph::kExtendedCalls);
  const auto* const names = mark == nullptr ? nullptr : mark->get_if<std::vector<std::string>>();
  if (names == nullptr) return calls;
  for (const std::string& name : *names) {
    graph::Node* const call = extension.graph().find(name);
    if (call != nullptr && can_extend(extension, *call)) calls.push_back(call);
  }
  return calls;
}

std::vector<graph::Node*> with_extensions(const StepGraph& step, std::span<graph::Node* const> targets) {
  std::vector<graph::Node*> all(targets.begin(), targets.end());
  if (targets.empty()) return all;
  for (const StepNode& item : step.nodes) {
    if (item.node == nullptr) continue;
    const std::vector<graph::Node*> calls = extended_calls(*item.node);
    if (std::ranges::find_first_of(targets, calls) != targets.end())
      all.push_back(const_cast<graph::Node*>(item.node));
  }
  return all;
}

}  // namespace flowray::engine
