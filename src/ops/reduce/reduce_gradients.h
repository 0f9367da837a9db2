#pragma once
/// Gradients of reductions. Nodes, names and shortcuts for static shapes are those of TensorFlow's Python.

#include "graph/gradient_context.h"

#include <vector>

namespace flowray::ops {

std::vector<graph::Endpoint> sum_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> mean_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> prod_gradient(graph::GradientContext& g);
/// The gradient of Max and Min.
std::vector<graph::Endpoint> extremum_gradient(graph::GradientContext& g);

}  // namespace flowray::ops
