#pragma once
/// The gradient of FusedBatchNormGrad and its versions: what a gradient penalty on a network with
/// normalisation asks for.

#include "graph/gradient_context.h"

#include <vector>

namespace flowray::ops {

std::vector<graph::Endpoint> batch_norm_second_gradient(graph::GradientContext& g);

}  // namespace flowray::ops
