#pragma once
/// Calls of functions whose results have become more: a gradient that needs what a function computed on its
/// way makes a second node beside the one that calls it, which calls the function with these values as
/// further results. A step that needs both runs only the second, so that the function runs once.

#include "engine/step/step_graph.h"

#include <span>
#include <vector>

namespace flowray::engine {

/// The calls whose results `extension` gives too, the first one first: attribute graph::kExtendedCalls, less
/// those that are not in the graph or are not such calls. Empty for a node that extends none.
std::vector<graph::Node*> extended_calls(const graph::Node& extension);

/// The targets of a step, and the extensions that run in place of some.
std::vector<graph::Node*> with_extensions(const StepGraph& step, std::span<graph::Node* const> targets);

}  // namespace flowray::engine
