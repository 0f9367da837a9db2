#pragma once
/// A private copy of the part of a graph that one step needs: what the passes work on. Nodes and values are
/// plain numbers into flat lists.

#include "graph/graph.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace flowray::engine {

/// Index of a value in StepGraph::values.
using ValueId = uint32_t;

struct StepValue {
  graph::Endpoint endpoint;
  /// Index of the node that makes it; -1 for a fed value.
  int32_t producer = -1;
};

struct StepNode {
  const graph::Node* node = nullptr;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// Indices of nodes that must run before.
  std::vector<uint32_t> controls;
  /// Indices of blocking nodes that it waits for, directly or through others that do not block.
  std::vector<uint32_t> waits_for;
};

struct StepGraph {
  std::vector<StepNode> nodes;  // in the order in which they run
  /// So many at the beginning run as what they wait for ends, in no fixed order.
  size_t num_blocking_part = 0;
  std::vector<StepValue> values;
  std::vector<ValueId> feeds;    // in the order in which they were asked for
  std::vector<ValueId> fetches;  // likewise
};

/// What a step is asked to do.
struct StepRequest {
  std::span<const graph::Endpoint> feeds;
  std::span<const graph::Endpoint> fetches;
  std::span<graph::Node* const> targets;
  /// Ran before, in another step of the same run, and do not run again, not even where they are control inputs. What is
  /// needed of their outputs is fed; references pass through them.
  const std::unordered_set<const graph::Node*>* done = nullptr;
};

/// The nodes that `request` needs, stopping at what is fed, in a topological order that follows creation
/// order where it is free. Throws errors::InvalidArgumentError for an endpoint fed twice or a cycle.
StepGraph prune(const StepRequest& request);

/// Puts first the nodes that may have to wait for others (queues), what leads to them, and what others can
/// see without waiting for them: two of these may wait for each other, so no fixed order suits them. The rest
/// keeps its order, and a step without blocking nodes stays as it is.
StepGraph blocking_first(StepGraph step);

/// One line a node.
std::string to_text(const StepGraph& step);

}  // namespace flowray::engine
