#pragma once
/// Computations whose results nobody reads.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// Leaves out nodes that were kept only because others wait for them, as the gradients of inputs that nothing
/// is trained on: those that nobody reads, that have no state, take no reference and can be seen by nobody.
/// Who waited for them waits for what they waited for. `targets` are kept.
StepGraph drop_unread(StepGraph step, std::span<graph::Node* const> targets);

}  // namespace flowray::engine
