#include "engine/raise/late_entries.h"

#include "engine/step/flow_frames.h"
#include "engine/step/needed_nodes.h"

#include <algorithm>
#include <unordered_map>

namespace flowray::engine {
namespace {

using graph::FlowRole;

bool is_enter(const StepNode& item) {
  return item.kind == StepKind::kOp && item.node != nullptr &&
         item.node->schema().row.flow == FlowRole::kEnter;
}

class LateEntries {
 public:
  explicit LateEntries(StepGraph& step)
      : step_(step), frames_(find_frames(step)), readers_(step.nodes.size()), followers_(step.nodes.size()) {
    for (uint32_t place = 0; place < step.nodes.size(); ++place) {
      for (const ValueId input : step.nodes[place].inputs) {
        if (const int32_t maker = producer(input); maker >= 0)
          readers_[static_cast<size_t>(maker)].push_back(place);
      }
      for (const uint32_t control : step.nodes[place].controls) followers_[control].push_back(place);
    }
  }

  void free() {
    std::vector<bool> is_kept(step_.nodes.size(), true);
    for (const Frame& loop : frames_.list) {
      if (loop.exits.empty()) continue;
      std::vector<bool> after;
      for (const uint32_t enter : loop.enters) {
        const int32_t source = producer(step_.nodes[enter].inputs[0]);
        if (source < 0 || !may_be_late(enter, static_cast<uint32_t>(source))) continue;
        if (after.empty()) after = after_loop(loop);
        if (!after[static_cast<size_t>(source)]) continue;
        if (is_constant(static_cast<uint32_t>(source))) {
          free_constant(static_cast<uint32_t>(source), loop, after);
        } else {
          leave_out(enter, is_kept);
        }
      }
    }
    if (std::ranges::find(is_kept, false) != is_kept.end()) keep_needed(step_, is_kept);
  }

 private:
  int32_t producer(ValueId id) const { return id == kNoValue ? -1 : step_.values[id].producer; }
  bool is_constant(uint32_t place) const {
    const StepNode& item = step_.nodes[place];
    return item.kind == StepKind::kOp && item.node->schema().row.is_constant;
  }
  bool is_fetched(uint32_t place) const {
    return std::ranges::any_of(step_.nodes[place].outputs, [&](ValueId id) {
      return std::ranges::find(step_.fetches, id) != step_.fetches.end();
    });
  }
  bool is_unread_identity(uint32_t place) const {
    const StepNode& item = step_.nodes[place];
    return item.kind == StepKind::kOp && item.node->op() == "Identity" && readers_[place].empty() &&
           !is_fetched(place);
  }
  /// Whether the node only makes others wait, which are in its loop for other reasons, too.
  bool only_orders(uint32_t place) const {
    const auto is_beside = [&](uint32_t other) { return frames_.of_node[other] == frames_.of_node[place]; };
    return is_unread_identity(place) && std::ranges::all_of(followers_[place], [&](uint32_t follower) {
             const StepNode& item = step_.nodes[follower];
             return std::ranges::any_of(item.inputs,
                                        [&](ValueId id) {
                                          const int32_t maker = producer(id);
                                          return maker >= 0 && is_beside(static_cast<uint32_t>(maker));
                                        }) ||
                    std::ranges::any_of(item.controls, [&](uint32_t control) {
                      return is_beside(control) && !is_unread_identity(control);
                    });
           });
  }

  /// Whether the entry could do without waiting: it is a constant that nothing else reads, or is only there
  /// to be waited for.
  bool may_be_late(uint32_t enter, uint32_t source) const {
    if (is_constant(source)) {
      return !step_.nodes[source].controls.empty() && followers_[source].empty() && !is_fetched(source) &&
             std::ranges::all_of(readers_[source], [&](uint32_t reader) {
               return is_enter(step_.nodes[reader]) && frames_.of_node[reader] == frames_.of_node[enter];
             });
    }
    return step_.nodes[enter].node->attrs().get<bool>("is_constant") && followers_[enter].empty() &&
           !is_fetched(enter) && !readers_[enter].empty() &&
           std::ranges::all_of(readers_[enter], [&](uint32_t reader) { return only_orders(reader); });
  }

  bool is_next_iteration(uint32_t place) const {
    const StepNode& item = step_.nodes[place];
    return item.kind == StepKind::kOp && item.node->schema().row.flow == FlowRole::kNextIteration;
  }

  /// By node: whether it can only run when something has left the loop, in the same iteration of the loops
  /// around it.
  std::vector<bool> after_loop(const Frame& loop) const {
    std::vector<bool> after(step_.nodes.size(), false);
    std::vector<uint32_t> next = loop.exits;
    while (!next.empty()) {
      const uint32_t place = next.back();
      next.pop_back();
      if (after[place]) continue;
      after[place] = true;
      // Nodes in the loop itself are not after it, though an entry of it may be.
      if (is_next_iteration(place) || (is_enter(step_.nodes[place]) && &frame_of(place) == &loop)) continue;
      next.insert(next.end(), readers_[place].begin(), readers_[place].end());
      next.insert(next.end(), followers_[place].begin(), followers_[place].end());
    }
    return after;
  }
  const Frame& frame_of(uint32_t place) const {
    return frames_.list[static_cast<size_t>(frames_.of_node[place])];
  }

  void free_constant(uint32_t place, const Frame& loop, const std::vector<bool>& after) {
    std::vector<uint32_t>& controls = step_.nodes[place].controls;
    std::erase_if(controls, [&](uint32_t control) { return after[control]; });
    // Where the loop is in a branch that is not taken, the counter has to be dead, too.
    for (const uint32_t enter : loop.enters) {
      const int32_t maker = producer(step_.nodes[enter].inputs[0]);
      if (maker < 0 || after[static_cast<size_t>(maker)] || static_cast<uint32_t>(maker) == place) continue;
      const auto source = static_cast<uint32_t>(maker);
      if (source > place) continue;
      if (std::ranges::find(controls, source) == controls.end()) controls.push_back(source);
      return;
    }
  }

  void leave_out(uint32_t enter, std::vector<bool>& is_kept) {
    is_kept[enter] = false;
    for (const uint32_t identity : readers_[enter]) {
      is_kept[identity] = false;
      for (const uint32_t follower : followers_[identity])
        std::erase(step_.nodes[follower].controls, identity);
    }
  }

  StepGraph& step_;
  const Frames frames_;
  std::vector<std::vector<uint32_t>> readers_;    // by node: those that take what it gives
  std::vector<std::vector<uint32_t>> followers_;  // those that only wait for it
};

/// Cheap, as few steps have one.
bool may_have_late_entries(const StepGraph& step) {
  return std::ranges::any_of(step.nodes, [&](const StepNode& item) {
    if (!is_enter(item)) return false;
    const int32_t source = step.values[item.inputs[0]].producer;
    if (source < 0) return false;
    const StepNode& from = step.nodes[static_cast<size_t>(source)];
    return from.kind == StepKind::kOp && from.node->schema().row.is_constant && !from.controls.empty();
  });
}

}  // namespace

void free_late_entries(StepGraph& step) {
  if (may_have_late_entries(step)) LateEntries(step).free();
}

}  // namespace flowray::engine
