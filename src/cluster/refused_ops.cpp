#include "cluster/refused_ops.h"

#include <algorithm>
#include <span>

#include "graph/unknown_op.h"
#include "ops/flow/program_function.h"

namespace flowray::cluster {
namespace {

void refuse_in(std::span<const wire::NodeDef> nodes, const graph::OpTable& ops) {
  const auto found = std::ranges::find_if(
      nodes, [](const wire::NodeDef& node) { return ops::calls_program(node.op.view()); });
  if (found == nodes.end()) return;
  graph::throw_unknown_op(*found, nodes, ops,
                          "A server runs no functions of programs: compute the values in the program "
                          "and feed them, or use a session without a target.");
}

}  // namespace

void refuse_calls_of_program(const wire::GraphDef& graph_def, const graph::OpTable& ops) {
  refuse_in(graph_def.node, ops);
  if (!graph_def.library.has_value()) return;
  for (const wire::FunctionDef& function : graph_def.library->function) refuse_in(function.node_def, ops);
}

}  // namespace flowray::cluster
