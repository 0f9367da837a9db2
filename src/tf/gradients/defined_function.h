#pragma once
/// Calls of functions that tf::function::Defun has made, and their gradients.

#include <flowray/tf/function.h>

#include "graph/graph.h"

#include <vector>

namespace flowray::tf {

/// How gradients go back through a call of a function, where the program has said so; null where it has not,
/// and for a graph that came from elsewhere.
GradientFunction gradient_of_defined_function(const graph::Node& call);

/// Whether the node is a call of a function by its name.
bool is_named_call(const graph::Node& node);

/// A SymbolicGradient of a call by name, as TensorFlow makes it. `grads`: of all of its outputs.
std::vector<graph::Endpoint> symbolic_gradient(graph::Node& call, const std::vector<graph::Endpoint>& grads);

}  // namespace flowray::tf
