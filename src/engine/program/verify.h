#pragma once
/// Looks for mistakes of the passes, in what they hand on to one another.

#include "engine/program/program.h"
#include "engine/step/step_graph.h"

namespace flowray::engine {

/// Operands are in range; every value is made once, before it is read, by who says so; controls and waits
/// lead backwards; bodies are fed and give what their node says. Throws errors::InternalError naming the
/// node. Control flow must have been raised: before that edges lead backwards in the list.
void verify(const StepGraph& step);

/// Every slot is written once, before it is read; what lies in the arena is not overwritten while somebody
/// reads it later, but by an output that the kernel allows to take over its last input; held slots are let go
/// once, after their last reader; results can be handed out. Throws errors::InternalError naming the
/// instruction.
void verify(const Program& program);

}  // namespace flowray::engine
