#include "engine/step/drop.h"

#include <algorithm>

namespace flowray::engine {
namespace {

class Dropper {
 public:
  Dropper(StepGraph step, const std::unordered_set<const graph::Node*>& targets)
      : step_(std::move(step)), targets_(targets), read_(step_.values.size(), false) {}

  StepGraph run() {
    for (const ValueId id : step_.fetches) {
      if (id != kNoValue) read_[id] = true;
    }
    std::vector<bool> keep(step_.nodes.size());
    for (size_t i = step_.nodes.size(); i-- > 0;) {
      StepNode& item = step_.nodes[i];
      if (item.kind != StepKind::kTokens) {  // whose nodes have no order
        for (StepGraph& body : item.bodies) body = Dropper(std::move(body), targets_).run();
      }
      keep[i] = !can_drop(item);
      if (!keep[i]) continue;
      for (const ValueId id : item.inputs) read_[id] = true;
    }
    return std::ranges::find(keep, false) == keep.end() ? std::move(step_) : without_dropped(keep);
  }

 private:
  bool can_drop(const StepNode& item) const {
    if (item.kind != StepKind::kOp || targets_.contains(item.node)) return false;
    const graph::OpRow& row = item.node->schema().row;
    if (row.stateful || row.checks || row.is_placeholder || row.start != nullptr || row.resource != nullptr)
      return false;
    if (row.flow != graph::FlowRole::kNone) return false;
    if (item.inputs.empty() && !item.outputs.empty() && !row.is_constant)
      return false;  // Placeholder must be fed
    const auto is_resource = [&](ValueId id) {
      const DType dtype = step_.values[id].dtype();
      return is_ref(dtype) || dtype == DType::kResource;
    };
    if (std::ranges::any_of(item.inputs, is_resource) || std::ranges::any_of(item.outputs, is_resource))
      return false;
    // An op with inputs and without results has side effects.
    if (item.outputs.empty() && !item.inputs.empty()) return false;
    return std::ranges::none_of(item.outputs, [&](ValueId id) { return read_[id]; });
  }

  StepGraph without_dropped(std::vector<bool> keep) {
    // By old place: a kept node's new place; for a dropped one, what its dependents depend on instead.
    std::vector<std::vector<uint32_t>> stands_for(step_.nodes.size());
    std::vector<int32_t> producer;
    for (const StepValue& value : step_.values) producer.push_back(value.producer);
    std::vector<StepNode> nodes;
    for (size_t i = 0; i < step_.nodes.size(); ++i) {
      StepNode& item = step_.nodes[i];
      std::vector<uint32_t> before = item.controls;
      for (const ValueId id : item.inputs) {
        if (!keep[i] && producer[id] >= 0) before.push_back(static_cast<uint32_t>(producer[id]));
      }
      std::vector<uint32_t> waits = renamed(before, stands_for);
      // A NoOp between many and many saves edges.
      if (item.outputs.empty() && waits.size() > kMostEdges) keep[i] = true;
      const auto place = static_cast<uint32_t>(nodes.size());
      for (const ValueId id : item.outputs)
        step_.values[id].producer = keep[i] ? static_cast<int32_t>(place) : -1;
      if (!keep[i]) {
        stands_for[i] = std::move(waits);
        continue;
      }
      stands_for[i] = {place};
      item.controls = std::move(waits);
      nodes.push_back(std::move(item));
    }
    step_.nodes = std::move(nodes);
    return std::move(step_);
  }

  static std::vector<uint32_t> renamed(const std::vector<uint32_t>& before,
                                       const std::vector<std::vector<uint32_t>>& stands_for) {
    std::vector<uint32_t> result;
    for (const uint32_t place : before) {
      result.insert(result.end(), stands_for[place].begin(), stands_for[place].end());
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  static constexpr size_t kMostEdges = 8;
  StepGraph step_;
  const std::unordered_set<const graph::Node*>& targets_;
  std::vector<bool> read_;  // by value: by a node that is kept, or fetched
};

}  // namespace

StepGraph drop_unread(StepGraph step, std::span<graph::Node* const> targets) {
  return Dropper(std::move(step), {targets.begin(), targets.end()}).run();
}

}  // namespace flowray::engine
