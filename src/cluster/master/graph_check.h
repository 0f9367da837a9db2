#pragma once

#include "engine/step/place.h"
#include "graph/graph.h"
#include "wire/graph_def.h"

#include <string_view>

namespace flowray::cluster {

/// What TensorFlow's server says of a graph that a session is made or extended with, before anything is made
/// of it: ops that are not there, or not for clients (refused_ops.h), invalid names, attributes without which
/// a node has no types. Throws errors::NotFoundError and errors::InvalidArgumentError in its words. What else
/// may be wrong is left to the import. `graph`: what it will be added to.
void check_nodes(const wire::GraphDef& graph_def, graph::Graph& graph);

/// Whether each node may run on one of `devices` or, if they are soft, on another one of the task that it
/// asks for. Throws errors::InvalidArgumentError "Cannot assign a device for operation ...".
void check_placement(const wire::GraphDef& graph_def, const engine::DeviceSet& devices);

/// Whether a device name means a CPU: "/job:worker/device:CPU:0", "/cpu:0", "CPU:0" or one that leaves
/// it open.
bool is_cpu(std::string_view device);

/// Checks the container that the state of a node is in, and the name that it is shared by, before the node
/// runs. Throws errors::InvalidArgumentError for invalid ones.
void check_container(const graph::Node& node);

}  // namespace flowray::cluster
