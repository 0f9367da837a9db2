#pragma once
/// Control flow as regions within regions: what raise_control_flow works on between the flat graph and the
/// nested one.

#include "engine/step/flow_frames.h"
#include "engine/step/step_graph.h"

#include <vector>

namespace flowray::engine {

struct Region;

/// A node, a conditional or a loop. Values have the numbers of the flat graph, and numbers behind those for
/// the values that RegionTree::known lists.
struct RegionItem {
  StepKind kind = StepKind::kOp;
  /// In the flat graph; for If and While: the one that they are named by.
  uint32_t node = 0;
  /// If: the predicate. While: the first values of the loop's variables.
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// While: what its variables are called inside of the loop.
  std::vector<ValueId> variables;
  /// If: for false and for true. While: condition and body.
  std::vector<Region> bodies;
  /// All nodes of the flat graph that are in it.
  std::vector<uint32_t> nodes;
};

struct Region {
  std::vector<RegionItem> items;
  /// If: its outputs, in their order; kNoValue where there is none in this branch. While's condition:
  /// the predicate, and what the body reads of the condition's values. While's body: the next values of
  /// the variables.
  std::vector<ValueId> gives;
};

struct RegionTree {
  Region step;
  /// By value of the flat graph: the one that it is another name of, or kNoValue. Ids in the regions are
  /// still to be looked up here, until the end of the chain.
  std::vector<ValueId> alias;
  /// Values that are not in the flat graph: which branch a Merge took.
  std::vector<Array> known;
};

/// Throws IrregularFlow; see raise_control_flow.
RegionTree find_regions(const StepGraph& flat, const Frames& frames);

/// The nested form of it.
StepGraph to_step_graph(const StepGraph& flat, const RegionTree& tree);

}  // namespace flowray::engine
