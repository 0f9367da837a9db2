#pragma once
/// Graphs whose names all begin alike, because each is the copy of a function that one call runs: errors show
/// the names that nodes have in the function.

#include "graph/graph.h"

namespace flowray::graph {

/// The names of `graph` begin with `length` characters that are not the function's.
void set_prefix_length(Graph& graph, size_t length);

/// Where the names that `graph`'s nodes had in their function begin: behind the prefix of the call. 0 for
/// other graphs.
size_t prefix_length(const Graph& graph);

}  // namespace flowray::graph
