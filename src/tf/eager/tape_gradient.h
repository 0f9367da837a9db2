#pragma once
/// The gradients of what a tape has recorded. The gradient functions of ops are those of graphs: what was
/// recorded between targets and sources becomes a small graph, tf::gradients adds its nodes, and a step
/// that is fed the recorded values gives the gradients. Records of one structure share one such step.

#include <flowray/tf/tensor.h>

#include "graph/value_node.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace flowray::tf::eagerly {

/// What stands in a node's extra() for the gradient of a function that has one of its own: from the gradients
/// of the outputs to those of the inputs, None where there is none.
struct CustomBackward {
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function;
};

struct GradientRequest {
  /// The bit of the tape in Recording.
  uint64_t bit = 0;
  std::vector<graph::Endpoint> targets = {};
  std::vector<graph::Endpoint> sources = {};
  /// For each target where to start from; none: ones. Empty: none for all.
  std::vector<graph::Endpoint> output_gradients = {};
};

/// One for each source; None where nothing flows. While other tapes record what the gradients are made of,
/// they are computed op by op, so that those record them, too.
std::vector<Tensor> tape_gradient(const GradientRequest& request);

/// Values that no op has made, as one that tapes record: `backward` gives the gradients of `arguments`
/// (tensors, or references of variables) from the values and theirs. It is one operation: nothing is
/// recorded of how it computes them, so second derivatives through it are refused.
std::vector<Tensor> add_recorded(
    const std::vector<Array>& values, const std::vector<Tensor>& arguments,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&, const std::vector<Tensor>&)>&
        backward);

/// How many structures have a step of their own.
size_t num_gradient_steps();

}  // namespace flowray::tf::eagerly
