#include "engine/raise/as_tokens.h"

#include <algorithm>
#include <map>
#include <utility>

namespace flowray::engine {

bool chooses_variable(const graph::Node& node) {
  return node.num_outputs() > 0 && is_ref(node.output_dtype(0)) && node.num_inputs() > 1 &&
         !is_ref(node.input(0).dtype());
}

StepGraph as_tokens(StepGraph flat, const graph::Node* node, std::string reason) {
  StepGraph step;
  StepNode whole;
  whole.node = node != nullptr ? node : flat.nodes.front().node;
  whole.kind = StepKind::kTokens;
  whole.reason = std::move(reason);
  std::map<ValueId, ValueId> number;  // of a value of the flat graph, in the step
  const auto add = [&](ValueId id, int32_t producer) {
    number[id] = static_cast<ValueId>(step.values.size());
    step.values.push_back({flat.values[id].endpoint, producer});
    return number[id];
  };
  for (const ValueId id : flat.feeds) step.feeds.push_back(add(id, -1));
  whole.inputs = step.feeds;
  // Sorted by name, as TensorFlow numbers fetches in errors.
  std::vector<ValueId> fetches = flat.fetches;
  std::ranges::sort(fetches, {}, [&](ValueId id) { return flat.values[id].name(); });
  fetches.erase(std::unique(fetches.begin(), fetches.end()), fetches.end());
  std::erase_if(fetches, [&](ValueId id) { return number.contains(id); });
  for (const ValueId id : fetches) whole.outputs.push_back(add(id, 0));
  for (const ValueId id : flat.fetches) step.fetches.push_back(number[id]);
  flat.fetches = std::move(fetches);
  whole.bodies.push_back(std::move(flat));
  step.nodes.push_back(std::move(whole));
  return step;
}

}  // namespace flowray::engine
