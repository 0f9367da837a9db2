#pragma once
/// What enters a loop only to keep an order with what comes after the loop.

#include "engine/step/step_graph.h"

namespace flowray::engine {

/// A loop whose result an update reads, such as an average of it, and whose gradients are made under
/// tf.control_dependencies of that update: the counter of iterations (`f_count`) that gradients add to the
/// loop is then to begin, and to count, after the update, which comes after the loop. TensorFlow's executor
/// lets the other variables of a loop run up to 32 iterations ahead of one that has not come in yet; here the
/// variables of an iteration run together, and the loop would wait for itself. So such an order is left out:
/// a constant that enters the loop waits for what other variables of the loop wait for, instead, and
/// operations inside wait no more for Identities of constants of the loop that come after it.
void free_late_entries(StepGraph& step);

}  // namespace flowray::engine
