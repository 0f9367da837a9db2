#pragma once
/// Ops that a graph has besides those of its table: the functions of its library, which nodes call by name.

#include <string_view>

namespace flowray::graph {

class Graph;
struct OpSchema;

/// What a call of the function looks like; null if the graph's library has no such function. Good as long as
/// the library.
const OpSchema* library_op(Graph& graph, std::string_view name);

}  // namespace flowray::graph
