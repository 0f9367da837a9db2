#pragma once
/// Values that were read of a reference variable before an update and are used after it.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// A value that a step reads of a reference variable shows what the step's updates make of the variable, as
/// TensorFlow's does, whose tensor is the variable's own memory: a node that runs after an update and was
/// given a value read before it reads the variable instead. So a moving average that follows an optimizer
/// averages new values, and a token that follows a step's count carries the new count. Without loops and
/// branches only.
StepGraph reread_updated(StepGraph step);

}  // namespace flowray::engine
