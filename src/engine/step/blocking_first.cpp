#include "engine/step/step_graph.h"

#include <algorithm>

namespace flowray::engine {
namespace {

/// An If or a While does if something in it does; their graphs have been gone through before.
bool blocks(const StepNode& item) {
  if (item.kind == StepKind::kOp) return item.node->schema().row.start != nullptr;
  if (item.kind == StepKind::kTokens) return std::ranges::any_of(item.bodies[0].nodes, blocks);
  return std::ranges::any_of(item.bodies, [](const StepGraph& body) { return body.num_blocking_part > 0; });
}

/// Whether it has side effects.
bool has_effects(const StepNode& item) {
  if (item.kind != StepKind::kOp) return true;
  const auto& inputs = item.node->inputs();
  return item.node->schema().row.stateful ||
         std::any_of(inputs.begin(), inputs.end(), [](const graph::Endpoint& input) {
           return is_ref(input.dtype()) || input.dtype() == DType::kResource;
         });
}

class BlockingFirst {
 public:
  explicit BlockingFirst(StepGraph step)
      : step_(std::move(step)), waits_(step_.nodes.size()), goes_first_(step_.nodes.size(), false) {}

  StepGraph run() {
    for (uint32_t i = 0; i < step_.nodes.size(); ++i) find_waits(i);
    for (uint32_t i = static_cast<uint32_t>(step_.nodes.size()); i-- > 0;) {
      const StepNode& item = step_.nodes[i];
      if (blocks(item) || (waits_[i].empty() && has_effects(item))) goes_first_[i] = true;
      if (goes_first_[i]) for_predecessors(item, [&](uint32_t before) { goes_first_[before] = true; });
    }
    return reordered();
  }

 private:
  template <class F>
  void for_predecessors(const StepNode& item, F visit) const {
    for (ValueId input : item.inputs) {
      if (step_.values[input].producer >= 0) visit(static_cast<uint32_t>(step_.values[input].producer));
    }
    for (uint32_t control : item.controls) visit(control);
  }

  void find_waits(uint32_t i) {
    std::vector<uint32_t>& waits = waits_[i];
    for_predecessors(step_.nodes[i], [&](uint32_t before) {
      if (blocks(step_.nodes[before])) {
        waits.push_back(before);
      } else {
        waits.insert(waits.end(), waits_[before].begin(), waits_[before].end());
      }
    });
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  }

  StepGraph reordered() {
    std::vector<uint32_t> order;
    for (const bool first : {true, false}) {
      for (uint32_t i = 0; i < step_.nodes.size(); ++i) {
        if (goes_first_[i] == first) order.push_back(i);
      }
      if (first) step_.num_blocking_part = order.size();
    }
    std::vector<uint32_t> place(order.size());
    for (uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    std::vector<StepNode> nodes;
    for (uint32_t i : order) {
      StepNode& item = nodes.emplace_back(std::move(step_.nodes[i]));
      for (uint32_t& control : item.controls) control = place[control];
      for (uint32_t before : waits_[i]) item.waits_for.push_back(place[before]);
    }
    step_.nodes = std::move(nodes);
    for (StepValue& value : step_.values) {
      if (value.producer >= 0)
        value.producer = static_cast<int32_t>(place[static_cast<size_t>(value.producer)]);
    }
    return std::move(step_);
  }

  StepGraph step_;
  std::vector<std::vector<uint32_t>> waits_;  // by node: blocking nodes with no other blocking one between
  std::vector<bool> goes_first_;
};

void put_first_in_bodies(StepGraph& step) {
  for (StepNode& item : step.nodes) {
    for (StepGraph& body : item.bodies) {
      // What has come decides which node of tokens runs next, whatever their order.
      if (item.kind == StepKind::kTokens) {
        put_first_in_bodies(body);
      } else {
        body = blocking_first(std::move(body));
      }
    }
  }
}

}  // namespace

StepGraph blocking_first(StepGraph step) {
  put_first_in_bodies(step);
  if (std::none_of(step.nodes.begin(), step.nodes.end(), blocks)) return step;
  return BlockingFirst(std::move(step)).run();
}

}  // namespace flowray::engine
