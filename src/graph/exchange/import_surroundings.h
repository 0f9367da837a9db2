#pragma once
/// What a graph asks of nodes that are imported because of where that happens.

#include "graph/flow_context.h"

#include <unordered_map>
#include <vector>

namespace flowray::graph {

/// The scopes of control dependencies, and the branch or loop, in which an import happens: what they ask of
/// nodes that are made one by one (Graph::add), they ask of those that come together. For one thread and
/// one import.
class ImportSurroundings {
 public:
  explicit ImportSurroundings(Graph& graph);

  /// Adds what the scopes ask for to the control inputs of a node. Takes out, and gives, those that are
  /// outside of the loop.
  std::vector<Node*> add_controls(std::vector<Node*>& controls) const;
  /// The node will join the graph. Throws ValueError where it takes what another loop keeps to itself.
  void expect(const Node& node, std::vector<Node*> outside_controls);
  /// They have joined the graph, in this order: what they take from outside is brought in.
  void take_in(const std::vector<Node*>& nodes);

 private:
  FlowContext* home_of(const Node& node) const;

  Graph& graph_;
  FlowContexts& contexts_;
  FlowContext* context_;
  std::vector<Node*> asked_;
  std::unordered_map<const Node*, std::vector<Node*>> outside_controls_;  // of each node that will join
};

}  // namespace flowray::graph
