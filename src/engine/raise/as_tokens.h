#pragma once
/// The way out for control flow that is not made of conditionals and loops: it runs node by node.

#include "engine/step/step_graph.h"

#include <string>

namespace flowray::engine {

/// `flat` as a step of one node of kind kTokens, named by `node`, which could not be raised because
/// of `reason`.
StepGraph as_tokens(StepGraph flat, const graph::Node* node = nullptr,
                    std::string reason = "as was asked for");

/// Whether the node's output is one of its reference inputs, which the first, an index, tells (RefSelect).
/// Only tokens carry such a variable.
bool chooses_variable(const graph::Node& node);

}  // namespace flowray::engine
