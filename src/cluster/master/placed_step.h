#pragma once

#include "engine/step/place.h"
#include "graph/exchange/function_body.h"
#include "graph/exchange/function_library.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace flowray::cluster {

/// Whether a function names a device for one of its nodes: else none is cut.
bool names_devices(const graph::FunctionLibrary& library);

/// A step's nodes, and which device each is on.
struct PlacedStep {
  engine::StepGraph graph;
  std::vector<uint32_t> device_of;
  /// Of the graph that the step is of.
  const graph::FunctionLibrary& library;
  /// What the graph has instead of calls. Lives as long as it.
  std::unique_ptr<graph::Graph, graph::FunctionBody::Release> flow;
};

/// What prune() and place() give. A function runs whole where its caller is, but for those whose nodes, or
/// those of functions that they call, ask for another task: their nodes take the place of the call
/// (engine/step/lower_calls.h), as TensorFlow cuts what PartitionedCall, If, While and Case run. What is
/// called by its own name, and gradients of that, runs whole there as well. Throws what these throw.
PlacedStep placed_step(const engine::StepRequest& request, const engine::DeviceSet& set,
                       const graph::FunctionLibrary& library);

}  // namespace flowray::cluster
