#pragma once
/// Common subexpressions.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// Lets a node stand for the later ones of the same op that have the same inputs (as values), attributes and
/// control inputs; constants are the same if their bits are. Only what neither has state nor reads a variable
/// is shared: two reads of a variable may have an update between them.
StepGraph share(StepGraph step);

}  // namespace flowray::engine
