#include "cluster/server/step_token.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

namespace flowray::cluster {
namespace {

constexpr std::string_view kQueueOp = "FIFOQueue";  // and what begins so, "FIFOQueueV2"
constexpr std::string_view kSharedName = "sync_token_q";

bool is_token_queue(const graph::Node& node) {
  if (!std::string_view(node.op()).starts_with(kQueueOp)) return false;
  const graph::AttrValue* name = node.attrs().find("shared_name");
  const auto* text = name == nullptr ? nullptr : name->get_if<std::string>();
  return text != nullptr && *text == kSharedName;
}

bool takes_token(const graph::Node& node) {
  return std::string_view(node.op()).starts_with("QueueDequeue") && node.num_inputs() > 0 &&
         is_token_queue(*node.input(0).node);
}

}  // namespace

bool has_step_tokens(const wire::GraphDef& graph_def) {
  return std::ranges::any_of(graph_def.node, [](const wire::NodeDef& node) {
    if (!node.op.view().starts_with(kQueueOp)) return false;
    for (const auto& [name, attr] : node.attr) {
      const auto* text = std::get_if<wire::Bytes>(&attr.value);
      if (name == "shared_name" && text != nullptr && *text == kSharedName) return true;
    }
    return false;
  });
}

bool takes_step_token(const graph::Graph& graph, const std::vector<std::string>& names,
                      const std::vector<std::string>& fed) {
  const std::set<std::string> given(fed.begin(), fed.end());
  std::unordered_set<const graph::Node*> seen;
  std::vector<const graph::Node*> open;
  const auto look_at = [&](const graph::Node* node) {
    if (node != nullptr && seen.insert(node).second) open.push_back(node);
  };
  for (const std::string& name : names) look_at(graph.find(name.substr(0, name.find(':'))));
  while (!open.empty()) {
    const graph::Node& node = *open.back();
    open.pop_back();
    if (takes_token(node)) return true;
    for (const graph::Endpoint& input : node.inputs()) {
      if (!given.contains(input.name())) look_at(input.node);
    }
    for (const graph::Node* control : node.control_inputs()) look_at(control);
  }
  return false;
}

}  // namespace flowray::cluster
