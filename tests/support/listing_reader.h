#pragma once
/// Listings of graphs (tests/golden/README.md) read back into a graph.

#include "graph/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace flowray::testing {

/// Adds the nodes of `listing`, one a line, with their names, inputs, control inputs and attributes as they
/// stand there. What follows "->" is left to shape inference. Throws std::runtime_error with the line where
/// one cannot be read.
void read_listing(graph::Graph& graph, std::string_view listing);

/// "x:1" or "x": an output of a node of `graph`.
graph::Endpoint endpoint_named(const graph::Graph& graph, std::string_view name);

/// The lines of `text`, without their ends.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace flowray::testing
