#pragma once
/// Where the resources of nodes live that are made just now: tf.container.

#include <string>

namespace flowray::graph {

class Graph;

/// While it lives, stateful nodes that this thread makes in `graph` and that say nothing else have their
/// resources in the container. Scopes of one thread end in the reverse order of their beginning.
class ContainerScope {
 public:
  ContainerScope(const Graph& graph, std::string container);
  ContainerScope(const ContainerScope&) = delete;
  ContainerScope& operator=(const ContainerScope&) = delete;
  ~ContainerScope();
};

/// The innermost one's; empty: the default container.
const std::string& container_of(const Graph& graph);

}  // namespace flowray::graph
