#include "graph/name_prefix.h"

namespace flowray::graph {
namespace {

struct Prefix {
  size_t length = 0;
};

Prefix& prefix_of(Graph& graph) { return graph.attachment<Prefix>("function_prefix"); }

}  // namespace

void set_prefix_length(Graph& graph, size_t length) { prefix_of(graph).length = length; }

size_t prefix_length(const Graph& graph) { return prefix_of(const_cast<Graph&>(graph)).length; }

}  // namespace flowray::graph
