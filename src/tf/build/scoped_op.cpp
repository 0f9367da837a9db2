#include "tf/build/scoped_op.h"

#include "graph/builder.h"
#include "tf/build/random_seed.h"

#include <utility>
#include <vector>

namespace flowray::tf {
namespace {

graph::Graph& graph_of_args(const std::vector<OpArg>& args) {
  std::vector<Input> inputs;
  for (const OpArg& arg : args) {
    if (const auto* one = std::get_if<Input>(&arg)) {
      inputs.push_back(*one);
    } else {
      const auto& list = std::get<std::vector<Input>>(arg);
      inputs.insert(inputs.end(), list.begin(), list.end());
    }
  }
  return graph_of(inputs);
}

}  // namespace

graph::Node* apply_scoped_op(ScopedOp scoped) {
  graph::Graph& graph = graph_of_args(scoped.call.args);
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
