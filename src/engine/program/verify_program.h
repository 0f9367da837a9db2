#pragma once
/// Looks for mistakes of the passes that make a Program.

#include "engine/program/program.h"

namespace flowray::engine {

/// Every slot is written once, before it is read; what lies in the arena is not overwritten
/// before its last read, but by an output that the kernel allows to take over its last input; held
/// slots are let go once, after their last reader; results can be handed out. Throws
/// errors::InternalError naming the instruction.
void verify(const Program& program);

}  // namespace flowray::engine
