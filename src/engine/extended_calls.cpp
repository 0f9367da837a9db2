#include "engine/extended_calls.h"

#include "engine/function_bodies.h"

#include <algorithm>
#include <string>
#include <vector>

namespace flowray::engine {

int64_t extension_level(const graph::Node& node) {
  if (call_role(node.schema()) == CallRole::kNone) return 0;
  const graph::AttrValue* const mark = node.attrs().find(kExtensionMark);
  const int64_t* const level = mark == nullptr ? nullptr : std::get_if<int64_t>(mark);
  return level == nullptr ? 0 : *level;
}

graph::Node* extended_node(const graph::Node& extension) {
  constexpr std::string_view kPrefix = "loc:@";
  const graph::AttrValue* const groups = extension.attrs().find("_class");
  const auto* const names = groups == nullptr ? nullptr : std::get_if<std::vector<std::string>>(groups);
  if (names == nullptr || names->size() != 1 || !names->front().starts_with(kPrefix)) return nullptr;
  graph::Node* const node = extension.graph().find(std::string_view(names->front()).substr(kPrefix.size()));
  const bool fits = node != nullptr && call_role(node->schema()) != CallRole::kNone &&
                    node->num_outputs() <= extension.num_outputs();
  return fits ? node : nullptr;
}

std::vector<graph::Node*> with_extensions(const StepGraph& step, std::span<graph::Node* const> targets) {
  std::vector<graph::Node*> all(targets.begin(), targets.end());
  if (targets.empty()) return all;
  for (const StepNode& item : step.nodes) {
    if (item.node == nullptr || extension_level(*item.node) == 0) continue;
    if (std::ranges::find(targets, extended_node(*item.node)) != targets.end())
      all.push_back(const_cast<graph::Node*>(item.node));
  }
  return all;
}

}  // namespace flowray::engine
