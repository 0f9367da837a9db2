#pragma once
/// Calls of functions that tf::function::Defun has made, and their gradients.

#include <flowray/tf/function.h>

#include "graph/graph.h"
#include "tf/gradients/body_gradient.h"

#include <vector>

namespace flowray::tf {

/// How gradients go back through a call of a function, where the program has said so; null where it has not,
/// and for a graph that came from elsewhere.
GradientFunction gradient_of_defined_function(const graph::Node& call);

/// Whether the node is a call of a function by its name.
bool is_named_call(const graph::Node& node);

/// A SymbolicGradient of a call by name, as TensorFlow makes it. `grads`: of all of its outputs.
std::vector<graph::Endpoint> symbolic_gradient(graph::Node& call, const std::vector<graph::Endpoint>& grads);

/// Adds the gradient of a body to the library: it takes the arguments and the gradients of the results, which
/// are of the dtypes `grads`, and gives those of the arguments, which are the first inputs of `call`.
std::string add_gradient(BodyGradient& body, const std::string& function, const graph::Node& call,
                         const std::vector<DType>& grads);

/// From now on steps run a SymbolicGradient that says only which function it is the gradient of, as those of
/// other programs do: the gradient is made where the first step needs it. Whoever makes sessions calls it
/// first.
void take_gradients_of_functions();

}  // namespace flowray::tf
