#include "engine/raise/flat_flow.h"

#include "graph/shape_context.h"

#include <algorithm>

namespace flowray::engine {

using graph::FlowRole;

ValueId FlatFlow::root(ValueId id) const {
  while (true) {
    for (; id < alias.size() && alias[id] != kNoValue; id = alias[id]) {
      if (const auto read = entered_reads.find(id); read != entered_reads.end()) return read->second;
    }
    const int32_t made = producer(id);
    if (made < 0) return id;
    const graph::OpRow& row = node(static_cast<uint32_t>(made)).schema().row;
    if (!row.view || row.flow != FlowRole::kNone) return id;
    const ValueId in = item(static_cast<uint32_t>(made)).inputs[0];
    // A view of another shape is another predicate: one that is a scalar, or not.
    if (row.shape != &graph::unchanged_shape || is_ref(endpoint(resolve(in)).dtype())) return id;
    id = in;
  }
}

bool FlatFlow::is_loop_merge(uint32_t place) const {
  if (role(place) != FlowRole::kMerge) return false;
  return std::ranges::any_of(item(place).inputs,
                             [&](ValueId id) { return role_of_producer(id) == FlowRole::kNextIteration; });
}

const graph::Node* FlatFlow::bound_by(ValueId id) const {
  while (stands_for_resource(endpoint(id).dtype()) && producer(resolve(id)) >= 0) {
    const auto place = static_cast<uint32_t>(producer(resolve(id)));
    const StepNode& made = item(place);
    if (made.inputs.empty()) return made.node;
    id =
        made.inputs[is_loop_merge(place) && role_of_producer(made.inputs[0]) == FlowRole::kNextIteration ? 1
                                                                                                         : 0];
  }
  return nullptr;
}

}  // namespace flowray::engine
