#pragma once
/// Initial values that depend on other variables: what those have, or will begin with.

#include <flowray/tf/variable.h>

#include "graph/graph.h"

#include <string>

namespace flowray::tf {

/// The variable's value where it has one, else its initial value: tf.cond in TensorFlow's nodes.
Tensor initialized_value(const Variable& variable);

/// `value` made from the initialized values of the variables that it depends on, so that initializers may run
/// in any order; itself where it depends on none, or on a loop. Copies of nodes are called "NODE_OWNER".
graph::Endpoint safe_initial_value(graph::Endpoint value, const std::string& owner);

}  // namespace flowray::tf
