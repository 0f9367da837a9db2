/// Every value has a condition: the branches that must have been taken for it to exist. Nodes under one
/// predicate, and the Merges that end it, become an If; a frame becomes a While.
#include "engine/raise/raise.h"

#include "engine/raise/as_tokens.h"
#include "engine/raise/flow_regions.h"
#include "engine/raise/late_entries.h"
#include "engine/step/flow_frames.h"
#include "engine/step/partition.h"
#include "graph/resource/rendezvous.h"

#include <algorithm>

namespace flowray::engine {
namespace {

/// Whether branches or loops go over several devices: then what comes from there may be a dead value, and is
/// another one in each iteration.
bool may_receive_dead(const StepGraph& step) {
  return std::ranges::any_of(step.nodes, [&](const StepNode& item) {
    if (item.kind != StepKind::kOp || !graph::is_transfer(item.node->schema())) return false;
    // Transfers that another master has made do not say so;
    // they cannot be dead where there is no control flow.
    const graph::AttrValue* const told = item.node->attrs().find(kMayBeDead);
    const bool* const may_be = told == nullptr ? nullptr : told->get_if<bool>();
    return may_be == nullptr ? has_control_flow(step) : *may_be;
  });
}

}  // namespace

StepGraph raise_control_flow(const StepGraph& flat) {
  const Frames frames = find_frames(flat);
  return to_step_graph(flat, find_regions(flat, frames));
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
    free_late_entries(flat);
    return raise_control_flow(flat);
  } catch (const IrregularFlow& irregular) {
    return as_tokens(std::move(flat), &irregular.node(), irregular.what());
  }
}

}  // namespace flowray::engine
