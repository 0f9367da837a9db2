#pragma once
/// Gradients that programs have registered, by the names of ops or by names of their own.

#include <flowray/tf/gradients.h>

#include "graph/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf {

struct RegisteredGradient {
  /// Null: nothing flows, which is not an error.
  GradientFunction function;
  /// "FUNCTION FILE:LINE", where it was registered.
  std::string place;
};

/// Null if the program has registered none of that name. What it gives stays good.
const RegisteredGradient* registered_gradient(std::string_view name);

/// Throws KeyError for a name that has a gradient, of an op in `ops` or a registered one.
void register_gradient(const graph::OpTable& ops, const std::string& name, RegisteredGradient gradient);

/// The gradients of a node's inputs, as a function of the program's makes them of `grads`; checked.
std::vector<graph::Endpoint> call_gradient_function(const GradientFunction& function, graph::Node& node,
                                                    const std::vector<graph::Endpoint>& grads);

/// tf::custom_gradient where the default graph is not an eager one.
std::vector<Tensor> custom_gradient_in_graph(
    const std::function<ValuesAndGradient(const std::vector<Tensor>&)>& function,
    const std::vector<Tensor>& arguments, Input::Where where);

}  // namespace flowray::tf
