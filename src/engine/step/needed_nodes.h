#pragma once

#include "engine/step/step_graph.h"

#include <vector>

namespace flowray::engine {

/// Leaves out the nodes that neither a fetch nor a root needs. `is_root`: by node; of those that are
/// kept, after. Returns which nodes were kept.
std::vector<bool> keep_needed(StepGraph& graph, std::vector<bool>& is_root);

}  // namespace flowray::engine
