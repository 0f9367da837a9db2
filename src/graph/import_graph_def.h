#pragma once
#include "graph/graph.h"
#include "wire/graph_def.h"
namespace flowray::graph {
void import_graph_def(Graph& graph, const wire::GraphDef& graph_def);
}
