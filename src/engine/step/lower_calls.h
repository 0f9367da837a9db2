#pragma once
/// Calls of functions whose nodes are on several devices, as nodes that partition() can cut between those.

#include "engine/step/step_graph.h"
#include "graph/exchange/function_body.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace flowray::engine {

struct LoweredStep {
  StepGraph graph;
  /// By node, the device that it asks for. A function's node asks for its caller's, as far as it leaves it
  /// open.
  std::vector<std::string> devices;
  /// The control flow that stands for If, While and Case. It lives as long as the graph is looked at.
  std::unique_ptr<graph::Graph, graph::FunctionBody::Release> flow;
};

/// Puts the bodies of some of the calls in `flat`, as prune() gives it, in their place: those of
/// PartitionedCall and the like among the other nodes, those of If and Case behind Switch and before Merge
/// nodes, those of While in a frame. What is fetched of a call keeps its name. `devices`: by node, what it
/// asks for, and for a call the one that it runs on. `is_lowered` is asked for each call, also for those
/// inside of the bodies, with its device. `targets` run in any case. Throws what call_functions() throws. See
/// TensorFlow's pass of this name (tensorflow/core/common_runtime/lower_functional_ops.h).
LoweredStep lower_calls(
    const StepGraph& flat, std::vector<std::string> devices, std::span<graph::Node* const> targets,
    const std::function<bool(const graph::Node& call, const std::string& device)>& is_lowered);

}  // namespace flowray::engine
