#pragma once
/// Looks for mistakes of the passes over a step's graph, in what they hand on to one another.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// Operands are in range; every value is made once, before it is read, by its producer; controls and waits
/// lead backwards; bodies are fed and give what their node says. Throws errors::InternalError naming the
/// node. Control flow must have been raised: before that edges lead backwards in the list.
void verify(const StepGraph& step);

}  // namespace flowray::engine
