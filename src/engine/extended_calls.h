#pragma once
/// Calls of functions whose results have become more: a gradient that needs what a function computed on its
/// way makes a second node beside the one that calls it, which calls the function with these values as
/// further results. A step that needs both runs only the second, so that the function runs once.

#include "engine/step_graph.h"

#include <span>
#include <string_view>
#include <vector>

namespace flowray::engine {

/// The attribute of such a node: 1, 2, ..., each with all the results of those before. It stands with
/// (`_class`) the node that it extends.
inline constexpr std::string_view kExtensionMark = "_extends_call";

/// 0 for all other nodes.
int64_t extension_level(const graph::Node& node);
/// The node that `extension` extends; null where that is not in the graph.
graph::Node* extended_node(const graph::Node& extension);

/// The targets of a step, and the extensions that run in place of some.
std::vector<graph::Node*> with_extensions(const StepGraph& step, std::span<graph::Node* const> targets);

}  // namespace flowray::engine
