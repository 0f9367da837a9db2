#pragma once
/// A graph as TensorFlow's GraphDef message.

#include "graph/graph.h"
#include "wire/graph_def.h"

namespace flowray::graph {

/// TensorFlow 2.21's version number of graphs.
constexpr int32_t kGraphDefProducer = 2474;

struct ExportOptions {
  /// Only nodes from this one on (Node::id()).
  int first_node = 0;
  /// Output shapes as far as they are known, as the attribute `_output_shapes`, which TensorBoard shows.
  bool add_shapes = false;
};

/// One node, all attributes included. Names and tensors are borrowed.
wire::NodeDef to_node_def(const Node& node, bool add_shapes = false);

/// All nodes in creation order with all attributes, defaults included, the functions that came with imported
/// graphs, and versions. Names and tensors are borrowed: `graph` must outlive the message.
wire::GraphDef to_graph_def(Graph& graph, const ExportOptions& options = {});

}  // namespace flowray::graph
