#include "engine/step/needed_nodes.h"

#include <utility>

namespace flowray::engine {
namespace {

std::vector<bool> needed_nodes(const StepGraph& graph, const std::vector<bool>& is_root) {
  std::vector<bool> is_needed(graph.nodes.size(), false);
  std::vector<uint32_t> open;
  const auto need = [&](uint32_t place) {
    if (is_needed[place]) return;
    is_needed[place] = true;
    open.push_back(place);
  };
  const auto need_value = [&](ValueId id) {
    if (graph.values[id].producer >= 0) need(static_cast<uint32_t>(graph.values[id].producer));
  };
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (is_root[i]) need(i);
  }
  for (const ValueId id : graph.fetches) need_value(id);
  while (!open.empty()) {
    const StepNode& item = graph.nodes[open.back()];
    open.pop_back();
    for (const ValueId id : item.inputs) need_value(id);
    for (const uint32_t control : item.controls) need(control);
  }
  return is_needed;
}

}  // namespace

std::vector<bool> keep_needed(StepGraph& graph, std::vector<bool>& is_root) {
  std::vector<bool> is_needed = needed_nodes(graph, is_root);
  std::vector<uint32_t> place(graph.nodes.size());
  uint32_t kept = 0;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    place[i] = kept;
    if (!is_needed[i]) continue;
    if (kept != i) graph.nodes[kept] = std::move(graph.nodes[i]);
    is_root[kept] = is_root[i];
    for (uint32_t& control : graph.nodes[kept].controls) control = place[control];
    ++kept;
  }
  graph.nodes.resize(kept);
  is_root.resize(kept);
  for (StepValue& value : graph.values) {
    if (value.producer < 0) continue;
    const auto old = static_cast<size_t>(value.producer);
    value.producer = is_needed[old] ? static_cast<int32_t>(place[old]) : -1;
  }
  return is_needed;
}

}  // namespace flowray::engine
