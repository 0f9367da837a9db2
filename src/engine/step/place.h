#pragma once
/// Which device each node of a step runs on.

#include "engine/step/step_graph.h"
#include "graph/device_name.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flowray::engine {

/// The devices that a session has, each named in full. The first is where nodes run that ask for none.
struct DeviceSet {
  std::vector<graph::DeviceName> devices;
  /// Whether a node may run on another device of its task where that has not the one it asks for.
  bool soft = false;
};

/// The index of the device of each node of `step`.
///
/// Nodes that must be together are: what updates a variable or takes a handle with the node that it comes
/// from, whose wish goes before its own; and those that name one another in `_class`, whose wishes hold for
/// all. Throws errors::InvalidArgumentError "Malformed device specification ...", "Cannot assign a device for
/// operation ..." and "Cannot colocate nodes ...", naming the node. Nodes that the step does not need are not
/// looked at. See TensorFlow's Placer (tensorflow/core/common_runtime/placer.h).
///
/// `wishes`: by node, what it asks for, in the place of its own device (lower_calls.h).
std::vector<uint32_t> place(const StepGraph& step, const DeviceSet& set,
                            std::span<const std::string> wishes = {});

}  // namespace flowray::engine
