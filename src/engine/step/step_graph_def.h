#pragma once
/// The graph that a step runs, for a client that asks for it (RunOptions.output_partition_graphs).

#include "engine/step/step_graph.h"
#include "wire/graph_def.h"

namespace flowray::engine {

/// The nodes that run, as they are in the session's graph: what a pass has made up is not among them.
wire::GraphDef to_graph_def(const StepGraph& step);

}  // namespace flowray::engine
