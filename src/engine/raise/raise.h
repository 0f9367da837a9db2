#pragma once
/// Control flow from nodes to structure.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// Conditionals and loops, built from Switch, Merge, Enter, Exit, NextIteration and LoopCond, as If and While
/// nodes with graphs of their own. Throws IrregularFlow where the graph is not made of conditionals and loops
/// nested in one another. See docs/engine.md.
StepGraph raise_control_flow(const StepGraph& flat);

/// With raised control flow or, where that cannot be, as one node of kind kTokens, in whose graph If and
/// While nodes keep their bodies.
StepGraph structured(StepGraph flat);

}  // namespace flowray::engine
