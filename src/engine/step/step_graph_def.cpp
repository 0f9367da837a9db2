#include "engine/step/step_graph_def.h"

#include "graph/exchange/graph_export.h"

namespace flowray::engine {

wire::GraphDef to_graph_def(const StepGraph& step) {
  wire::GraphDef message;
  for (const StepNode& item : step.nodes) message.node.push_back(graph::to_node_def(*item.node));
  message.versions.emplace().producer = graph::kGraphDefProducer;
  return message;
}

}  // namespace flowray::engine
