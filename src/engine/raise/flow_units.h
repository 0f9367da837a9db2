#pragma once
/// What raise_control_flow schedules: the units of a frame, the branches that they run in, and which of them
/// wait for nothing.

#include "engine/raise/flat_flow.h"
#include "engine/raise/flow_regions.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flowray::engine {

/// A branch of the conditionals on one predicate.
struct Literal {
  ValueId predicate = kNoValue;
  bool value = false;
  bool operator==(const Literal&) const = default;
};
/// The branches that must be taken, from the outermost inwards.
using Condition = std::vector<Literal>;

class OpenRegion;

/// What is scheduled as one within a frame: a node, or a loop inside of it.
struct Unit {
  uint32_t node = 0;
  std::vector<ValueId> reads;   // as the flat graph names them
  std::vector<uint32_t> after;  // units that must come before
  Condition condition;          // of the unit itself; outputs of a Switch have one literal more
  /// Whether it becomes an item. Switch, Merge and their kin only give names to values.
  bool emits = true;
  bool closes = false;  // a Merge at the end of a conditional
  Literal first_arm;    // of a closing Merge: the branch of its input 0
  std::optional<RegionItem> loop;
  bool is_placed = false;
  // For the order in which units are placed:
  uint32_t position = 0;                // in a topological order
  uint32_t num_open = 0;                // in `after`, not placed yet
  std::vector<uint32_t> waiting;        // units that have it in `after`, as often as there
  uint32_t num_open_outside_group = 0;  // in `after`, neither placed nor in `group`
  uint32_t group = 0;  // the conditional that was formed last with it or those before it in mind
  bool is_in_group = false;
  OpenRegion* owner = nullptr;  // the region that will place it
};

/// Units that are being made a region, and those of them that wait for nothing any more.
class OpenRegion {
 public:
  OpenRegion(std::vector<Unit>& units, std::span<const uint32_t> members, size_t depth)
      : units_(units), depth_(depth), num_left_(members.size()) {
    for (const uint32_t u : members) units_[u].owner = this;
    for (const uint32_t u : members) {
      if (units_[u].num_open == 0) add_ready(u);
    }
  }

  /// The predicate of the conditional that a unit is a part of here; kNoValue if it runs in any case.
  ValueId predicate(const Unit& unit) const {
    if (unit.condition.size() > depth_) return unit.condition[depth_].predicate;
    return unit.closes ? unit.first_arm.predicate : kNoValue;
  }
  size_t depth() const { return depth_; }
  size_t num_left() const { return num_left_; }

  void add_ready(uint32_t u) {
    const ValueId id = predicate(units_[u]);
    if (id != kNoValue) ready_under_[id].push(key(u));
    (id == kNoValue ? ready_ : ready_in_branches_).push(key(u));
  }
  void took_one() { --num_left_; }

  /// The earliest of those that run in any case.
  std::optional<uint32_t> take_ready() { return take(ready_); }
  /// The earliest of those that run in a branch; it stays.
  std::optional<uint32_t> first_in_branch() {
    while (!ready_in_branches_.empty() && is_gone(ready_in_branches_.top().second)) ready_in_branches_.pop();
    if (ready_in_branches_.empty()) return std::nullopt;
    return ready_in_branches_.top().second;
  }
  /// One after the other, the earliest first, those that wait for nothing in the branches on `predicate`.
  std::optional<uint32_t> take_ready_under(ValueId predicate) {
    Queue& queue = ready_under_[predicate];
    while (const auto u = take(queue)) {
      if (!is_gone(*u)) return u;
    }
    ready_under_.erase(predicate);
    return std::nullopt;
  }
  void add_ready_under(ValueId predicate, uint32_t u) { ready_under_[predicate].push(key(u)); }

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // position, unit
  using Queue = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

  Key key(uint32_t u) const { return {units_[u].position, u}; }
  bool is_gone(uint32_t u) const { return units_[u].is_placed || units_[u].owner != this; }
  static std::optional<uint32_t> take(Queue& queue) {
    if (queue.empty()) return std::nullopt;
    const uint32_t u = queue.top().second;
    queue.pop();
    return u;
  }

  std::vector<Unit>& units_;
  size_t depth_;
  size_t num_left_;
  Queue ready_;
  Queue ready_in_branches_;  // with some that are gone
  std::unordered_map<ValueId, Queue> ready_under_;
};

}  // namespace flowray::engine
