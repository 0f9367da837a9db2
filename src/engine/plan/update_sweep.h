#pragma once
/// The updates of many variables become one loop over all their elements.

#include "engine/program/program.h"

namespace flowray::engine {

/// Joins neighbouring instructions that update variables element by element (Kernel::update), each a variable
/// of its own: so threads share all elements of a step, however small the single variables are. All variables
/// are locked, in the order that single updates keep too, before the first is changed: an error leaves all as
/// they were. Buffers are not planned yet; the blocking part stays as it is.
void sweep_updates(Program& program);

}  // namespace flowray::engine
