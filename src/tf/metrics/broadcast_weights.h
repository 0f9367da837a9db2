#pragma once
/// Weights of losses and metrics: whether they fit the values, and made as large as those.

#include <flowray/tf/input.h>

#include "graph/graph.h"

namespace flowray::tf {

/// The nodes that say that the weights, a scalar or of the values' rank with sizes that are the values' or 1,
/// fit; what follows waits for the last one. Both may be arrays still. Throws ValueError where shapes that
/// are known do not fit; where they say too little, the step looks.
graph::Node* assert_broadcastable(graph::Graph& graph, const Input& weights, const Input& values);

/// The weights in the values' shape.
Tensor broadcast_weights(graph::Graph& graph, const Tensor& weights, const Tensor& values);

}  // namespace flowray::tf
