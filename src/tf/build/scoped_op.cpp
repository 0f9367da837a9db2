#include "tf/build/scoped_op.h"

#include "graph/builder.h"
#include "tf/build/random_seed.h"

#include <utility>
#include <vector>

namespace flowray::tf {

graph::Node* apply_scoped_op(ScopedOp scoped) {
  graph::Graph& graph = graph_of(scoped.call.args);
  if (scoped.seeded) {
    const Seeds seeds = seeds_of(graph, scoped.seed);
    scoped.call.attrs.set("seed", seeds.seed);
    scoped.call.attrs.set("seed2", seeds.seed2);
  }
  if (scoped.scope.empty()) {
    scoped.call.name = scoped.name.empty() ? scoped.node : scoped.name;
    return apply_op_node(scoped.call);
  }
  const UserLine line(graph, Input::Where());
  const graph::NameScope scope(graph, scoped.name.empty() ? scoped.scope : scoped.name);
  for (size_t i = 0; i < scoped.names.size(); ++i) {
    if (scoped.names[i].empty()) continue;
    auto& arg = std::get<Input>(scoped.call.args[i]);
    arg = to_tensor(graph, arg, scoped.names[i]);
  }
  scoped.call.name = scoped.node;
  return apply_op_node(scoped.call);
}

}  // namespace flowray::tf
