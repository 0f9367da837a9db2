#include "engine/raise/unit_placer.h"

#include <algorithm>
#include <optional>

namespace flowray::engine {

UnitPlacer::UnitPlacer(const FlatFlow& flow, std::vector<Unit>& units, const std::vector<uint32_t>& order,
                       std::vector<Array>& known)
    : flow_(flow), units_(units), known_(known) {
  for (const uint32_t u : order) {
    for (uint32_t i = 0; i < units_[u].reads.size(); ++i)
      readers_[flow_.resolve(units_[u].reads[i])].push_back({u, i});
  }
}

const std::vector<ValueId>& UnitPlacer::outputs_of(const Unit& unit) const {
  return unit.loop.has_value() ? unit.loop->outputs : flow_.item(unit.node).outputs;
}

Region UnitPlacer::place(const std::vector<uint32_t>& units, size_t depth) {
  Region region;
  OpenRegion open(units_, units, depth);
  while (true) {
    while (const auto u = open.take_ready()) place_unit(units_[*u], region);
    if (open.num_left() == 0) return region;
    const auto first = open.first_in_branch();
    if (!first.has_value()) fail_irregular(first_left(units, open), "it waits for a later branch");
    add_conditional(open, *first, region);
  }
}

const graph::Node& UnitPlacer::first_left(const std::vector<uint32_t>& units, const OpenRegion& open) const {
  const auto left = [&](uint32_t u) { return !units_[u].is_placed && units_[u].owner == &open; };
  return flow_.node(units_[*std::ranges::find_if(units, left)].node);
}

void UnitPlacer::mark_as_placed(Unit& unit) {
  unit.is_placed = true;
  unit.owner->took_one();
  for (const uint32_t next : unit.waiting) {
    // A loop's condition is made before its body is begun, which looks for itself what is ready.
    if (--units_[next].num_open == 0 && units_[next].owner != nullptr) units_[next].owner->add_ready(next);
  }
}

void UnitPlacer::place_unit(Unit& unit, Region& region) {
  mark_as_placed(unit);
  if (!unit.emits) return;
  if (unit.loop.has_value()) {
    region.items.push_back(std::move(*unit.loop));
    return;
  }
  RegionItem made;
  made.node = unit.node;
  made.nodes = {unit.node};
  const StepNode& it = flow_.item(unit.node);
  const bool is_switch = flow_.role(unit.node) == graph::FlowRole::kSwitch;
  made.inputs = it.inputs;
  for (ValueId& id : made.inputs) id = flow_.resolve(id);
  made.outputs = is_switch ? std::vector<ValueId>{it.outputs[0]} : it.outputs;
  region.items.push_back(std::move(made));
}

/// What can run under `predicate` now: the units that wait only for what is placed or for one another.
std::vector<uint32_t> UnitPlacer::form_group(OpenRegion& open, ValueId predicate) {
  std::vector<uint32_t> group;
  ++num_groups_;
  while (const auto u = open.take_ready_under(predicate)) {
    units_[*u].group = num_groups_;
    units_[*u].is_in_group = true;
    group.push_back(*u);
    for (const uint32_t next : units_[*u].waiting) {
      Unit& unit = units_[next];
      if (unit.owner != &open || open.predicate(unit) != predicate) continue;
      if (unit.group != num_groups_) {
        unit.group = num_groups_;
        unit.is_in_group = false;
        unit.num_open_outside_group = unit.num_open;
      }
      if (--unit.num_open_outside_group == 0) open.add_ready_under(predicate, next);
    }
  }
  return group;
}

/// All that is ready under the predicate of unit `first`, as one If.
void UnitPlacer::add_conditional(OpenRegion& open, uint32_t first, Region& region) {
  const size_t depth = open.depth();
  const ValueId predicate = open.predicate(units_[first]);
  std::vector<uint32_t> branches[2];
  std::vector<uint32_t> merges;
  for (const uint32_t u : form_group(open, predicate)) {
    const Unit& unit = units_[u];
    if (unit.condition.size() > depth) {
      branches[unit.condition[depth].value ? 1 : 0].push_back(u);
      open.took_one();
    } else {
      merges.push_back(u);
    }
  }
  RegionItem made;
  made.kind = StepKind::kIf;
  made.node = units_[merges.empty() ? first : merges[0]].node;
  made.inputs = {predicate};
  std::vector<ValueId> escaping[2];
  for (const int branch : {0, 1}) escaping[branch] = read_outside(branches[branch]);
  for (const int branch : {0, 1}) {
    for (const uint32_t u : branches[branch]) add_nodes(units_[u], made);
    made.bodies.push_back(place(branches[branch], depth + 1));
  }
  for (const uint32_t u : merges) close(units_[u], made);
  for (const int branch : {0, 1}) {
    for (const ValueId id : escaping[branch]) {
      made.outputs.push_back(id);
      made.bodies[static_cast<size_t>(branch)].gives.push_back(id);
      made.bodies[static_cast<size_t>(1 - branch)].gives.push_back(kNoValue);
    }
  }
  region.items.push_back(std::move(made));
}

void UnitPlacer::add_nodes(const Unit& unit, RegionItem& item) {
  if (unit.loop.has_value()) {
    item.nodes.insert(item.nodes.end(), unit.loop->nodes.begin(), unit.loop->nodes.end());
  } else {
    item.nodes.push_back(unit.node);
  }
}

/// Values of a branch that units outside of its If read: in a later If on the same predicate.
std::vector<ValueId> UnitPlacer::read_outside(const std::vector<uint32_t>& branch) const {
  struct Read {
    uint32_t position;
    uint32_t input;
    ValueId value;
    auto operator<=>(const Read&) const = default;
  };
  std::vector<Read> found;
  for (const uint32_t u : branch) {
    if (!units_[u].emits && !units_[u].closes) continue;
    for (const ValueId id : outputs_of(units_[u])) {
      const auto readers = readers_.find(id);
      if (id == kNoValue || readers == readers_.end()) continue;
      std::optional<Read> first;
      for (const auto& [reader, input] : readers->second) {
        const Unit& unit = units_[reader];
        if (unit.is_placed || is_in_latest_group(unit)) continue;
        const Read read{unit.position, input, id};
        if (!first.has_value() || read < *first) first = read;
      }
      if (first.has_value()) found.push_back(*first);
    }
  }
  std::ranges::sort(found);
  std::vector<ValueId> values;
  for (const Read& read : found) values.push_back(read.value);
  return values;
}

/// The outputs of a Merge as those of the If that it ends.
void UnitPlacer::close(Unit& unit, RegionItem& made) {
  mark_as_placed(unit);
  const StepNode& merge = flow_.item(unit.node);
  made.nodes.push_back(unit.node);
  const size_t input_of[2] = {unit.first_arm.value ? 1u : 0u, unit.first_arm.value ? 0u : 1u};
  made.outputs.push_back(merge.outputs[0]);
  made.outputs.push_back(merge.outputs[1]);
  for (const size_t branch : {0u, 1u}) {
    made.bodies[branch].gives.push_back(flow_.resolve(merge.inputs[input_of[branch]]));
    made.bodies[branch].gives.push_back(static_cast<ValueId>(flow_.flat.values.size() + known_.size()));
    known_.push_back(Array(static_cast<int32_t>(input_of[branch])));
  }
}

}  // namespace flowray::engine
