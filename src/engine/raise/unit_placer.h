#pragma once
/// Puts the units of a frame in order: what runs in any case runs as soon as it can, all that is ready under
/// one predicate becomes one If.

#include "engine/raise/flow_units.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flowray::engine {

class UnitPlacer {
 public:
  /// `order`: the units, each behind those that it waits for. `known` gets what RegionTree::known has.
  UnitPlacer(const FlatFlow& flow, std::vector<Unit>& units, const std::vector<uint32_t>& order,
             std::vector<Array>& known);

  /// `units` in order, all under the same `depth` literals. Throws IrregularFlow.
  Region place(const std::vector<uint32_t>& units, size_t depth);

  const std::vector<ValueId>& outputs_of(const Unit& unit) const;

 private:
  const graph::Node& first_left(const std::vector<uint32_t>& units, const OpenRegion& open) const;
  void mark_as_placed(Unit& unit);
  void place_unit(Unit& unit, Region& region);
  std::vector<uint32_t> form_group(OpenRegion& open, ValueId predicate);
  bool is_in_latest_group(const Unit& unit) const { return unit.group == num_groups_ && unit.is_in_group; }
  void add_conditional(OpenRegion& open, uint32_t first, Region& region);
  static void add_nodes(const Unit& unit, RegionItem& item);
  std::vector<ValueId> read_outside(const std::vector<uint32_t>& branch) const;
  void close(Unit& unit, RegionItem& made);

  const FlatFlow& flow_;
  std::vector<Unit>& units_;
  std::vector<Array>& known_;
  /// The readers of each value, by its last alias: units, and which of their reads.
  std::unordered_map<ValueId, std::vector<std::pair<uint32_t, uint32_t>>> readers_;
  uint32_t num_groups_ = 0;
};

}  // namespace flowray::engine
