#pragma once
/// A step that is spread over devices as one graph for each of them. Values cross between two by a pair of
/// nodes, _Send and _Recv, that meet by a key (graph/resource/rendezvous.h).
///
/// What is fed comes, and what is fetched goes, by such nodes too: `_recv_NAME_PORT` and `_send_NAME_PORT` on
/// the client's device, under the key "DEVICE;INCARNATION;DEVICE;NAME:PORT;0:0". Where nodes on one device
/// run in a loop whose condition is on another, or get something from there in each iteration, a loop of
/// control nodes (`_cloop...`) is added that keeps them in step. All of this is as in TensorFlow's
/// partitions, so that its servers can run them: core/graph/graph_partition.cc.

#include "engine/step/place.h"
#include "graph/exchange/function_body.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::engine {

/// An attribute of our own of transfers: whether they are in a branch or a loop, so that the value may be
/// dead or another one in each iteration.
inline constexpr std::string_view kMayBeDead = "_flowray_may_be_dead";

struct PartitionOptions {
  /// By number of the device; a device that has been started anew has another one.
  std::span<const uint64_t> incarnations;
  /// Number of the device where values are fed and fetched.
  uint32_t client = 0;
  /// How many names have been made up for nodes; null: none. TensorFlow's workers keep the kernel of a
  /// stateful node, as _Send and _Recv are, for its name as long as the session lives: partitions for one
  /// session must share this.
  int64_t* num_new_names = nullptr;
  /// The functions that nodes of the step call; null: those of its nodes' graph.
  const graph::FunctionLibrary* library = nullptr;
};

struct Partition {
  uint32_t device = 0;
  std::unique_ptr<graph::Graph, graph::FunctionBody::Release> graph;
};

/// Cuts a flat `step`, as prune() gives it, whose nodes are on `device_of` (place()), into a graph for each
/// device that has something to do, by the number of the device. All nodes of a partition are to be run.
///
/// `step` must still have its Switch, Merge, Enter and Exit nodes (no raise_control_flow() before). An
/// endpoint that is both fed and fetched gets no nodes: the client has its value. Throws IrregularFlow for
/// malformed loops.
std::vector<Partition> partition(const StepGraph& step, std::span<const uint32_t> device_of,
                                 const DeviceSet& devices, const PartitionOptions& options);

/// The rendezvous key under which a partition receives the value that is fed to `endpoint`, or sends the one
/// that is fetched from it.
std::string client_key(const graph::Endpoint& endpoint, const graph::DeviceName& client,
                       uint64_t incarnation);

}  // namespace flowray::engine
