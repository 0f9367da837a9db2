#pragma once
/// Labels, predictions and weights of which one may have a last dimension of size 1 too many.

#include <flowray/tf/input.h>

#include "graph/graph.h"

#include <utility>

namespace flowray::tf {

/// {labels, predictions}, of which predictions have `more` dimensions than labels: TensorFlow's
/// remove_squeezable_dimensions. Values are converted to tensors first; a tensor of unknown rank stays
/// as it is.
std::pair<Tensor, Tensor> remove_squeezable_dimensions(graph::Graph& graph, const Input& labels,
                                                       const Input& predictions, int more = 0);

/// Weights with a last dimension of size 1 more or less, so that they have the rank of the values;
/// scalars stay.
Tensor weights_of_rank(const Tensor& weights, const Tensor& values);

}  // namespace flowray::tf
