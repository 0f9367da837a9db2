#pragma once
/// Steps that wait for a chief: those that take a token of SyncReplicasOptimizer, ours or TensorFlow's.

#include "graph/graph.h"
#include "wire/graph_def.h"

#include <string>
#include <vector>

namespace flowray::cluster {

/// Whether there is a queue of tokens among the nodes.
bool has_step_tokens(const wire::GraphDef& graph_def);

/// Whether one is taken by what runs for `names`, nodes ("train") and tensors ("loss:0"), when what `fed`
/// names is given.
bool takes_step_token(const graph::Graph& graph, const std::vector<std::string>& names,
                      const std::vector<std::string>& fed);

}  // namespace flowray::cluster
