#pragma once
/// Eager execution: a graph that keeps nothing and runs each op when it is asked for.

#include "engine/session.h"
#include "graph/value_node.h"

#include <functional>
#include <memory>

namespace flowray::tf::eagerly {

/// The graph that is the default one while operations are run at once; one for the process.
graph::Graph& eager_graph();

/// Holds the variables, states of random generators and functions of what runs at once; one for the process,
/// which never ends.
engine::Session& eager_session();
/// Its resources, for sessions of graphs whose variables are those of eager execution.
std::shared_ptr<graph::ResourceContainers> eager_containers();

/// The value that an endpoint of a value node has now: a variable's is read.
Array current_value(const graph::Endpoint& endpoint);

/// Calls `body`, which may wait for what other threads do: a front door whose interpreter has a lock gives
/// it away meanwhile.
void run_unlocked(const std::function<void()>& body);
/// Sets what runs a body without the lock. To be called once.
using Unlocked = void (*)(const std::function<void()>& body);
void set_unlocked(Unlocked unlocked);

/// Number of plans that the calling thread has made and keeps.
size_t num_plans();

}  // namespace flowray::tf::eagerly
