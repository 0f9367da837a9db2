#pragma once
/// Runs one node alone, outside of any plan: constants are folded with it, dynamic instructions run by it,
/// and the tests' interpreter is a loop around it.

#include "core/parallel.h"
#include "graph/kernel/kernel.h"

#include <span>
#include <vector>

namespace flowray::graph {

/// An input of a node: a value, or the variable (or other resource) where the op takes a reference or
/// a resource.
struct NodeInput {
  Array value;
  Resource* resource = nullptr;
};

/// Infers the output shapes for real inputs, as the step sees them. Throws errors::InvalidArgumentError.
std::vector<Shape> infer_running_shapes(const Node& node, std::span<const NodeInput> inputs);

/// Runs `node` on `inputs` into fresh arrays; outputs of reference types have no value. Views share their
/// input's elements; what has to wait for others is waited for. Throws errors::OpError with the bare reason.
std::vector<Array> evaluate(const Node& node, std::span<const NodeInput> inputs, NodeStates& states,
                            Parallel& parallel);

/// `error`, met while `node` ran, with the node's name and line added as TensorFlow adds them; rethrows
/// by code.
[[noreturn]] void rethrow_with_node(const Node& node, const Error& error);

}  // namespace flowray::graph
