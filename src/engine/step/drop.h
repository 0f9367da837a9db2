#pragma once
/// Dead code elimination.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// Removes nodes without side effects (no state, no reference) whose results are unread and that others only
/// wait for, as the gradients of inputs that nothing is trained on. Their control successors wait for their
/// control predecessors instead. `targets` are kept.
StepGraph drop_unread(StepGraph step, std::span<graph::Node* const> targets);

}  // namespace flowray::engine
