#pragma once
/// The flat graph as raise_control_flow looks at it: which of its values only are other names of others.

#include "engine/step/step_graph.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace flowray::engine {

struct FlatFlow {
  explicit FlatFlow(const StepGraph& graph) : flat(graph), alias(graph.values.size(), kNoValue) {}

  const StepNode& item(uint32_t place) const { return flat.nodes[place]; }
  const graph::Node& node(uint32_t place) const { return *flat.nodes[place].node; }
  graph::FlowRole role(uint32_t place) const { return node(place).schema().row.flow; }
  const graph::Endpoint& endpoint(ValueId id) const { return flat.values[id].endpoint; }
  int32_t producer(ValueId id) const { return id < flat.values.size() ? flat.values[id].producer : -1; }
  graph::FlowRole role_of_producer(ValueId id) const {
    return producer(id) < 0 ? graph::FlowRole::kNone : role(static_cast<uint32_t>(producer(id)));
  }

  /// The value that `id` is another name of.
  ValueId resolve(ValueId id) const {
    while (id < alias.size() && alias[id] != kNoValue) id = alias[id];
    return id;
  }

  /// The value that a predicate is computed as, behind all Identity nodes but those that read a variable. A
  /// reference where the variable itself is the predicate.
  ValueId root(ValueId id) const;

  bool is_loop_merge(uint32_t place) const;

  /// The node that a reference or handle comes from, if that is one that stands for the same thing in
  /// each run.
  const graph::Node* bound_by(ValueId id) const;

  const StepGraph& flat;
  std::vector<ValueId> alias;  // by value
  /// For a variable's value that was read outside of a loop and enters it, where the loop knows it by the
  /// variable: the value that was read.
  std::unordered_map<ValueId, ValueId> entered_reads;
};

}  // namespace flowray::engine
