/// Control flow from nodes to structure. Every value has a condition: the branches that must have been taken
/// for it to exist. Nodes under one predicate, and the Merges that end it, become an If; a frame becomes a
/// While.
#include "engine/step/flow_frames.h"
#include "engine/raise/flow_regions.h"
#include "engine/step/step_graph.h"

#include <algorithm>

namespace flowray::engine {

bool has_control_flow(const StepGraph& step) {
  return std::ranges::any_of(step.nodes, [](const StepNode& item) {
    return item.node->schema().row.flow != graph::FlowRole::kNone;
  });
}

StepGraph raise_control_flow(const StepGraph& flat) {
  const Frames frames = find_frames(flat);
  return to_step_graph(flat, find_regions(flat, frames));
}

}  // namespace flowray::engine
