#pragma once
/// The second half of planning: where each value of a Program lies in the arena, what is written in place,
/// and when held values are let go. Valid for the instructions' list order only.

#include "engine/program/program.h"

namespace flowray::engine {

/// Fills in offsets, workspaces and releases of a Program whose instructions and slots are made.
void plan_buffers(Program& program);

}  // namespace flowray::engine
