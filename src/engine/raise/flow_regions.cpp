#include "engine/raise/flow_regions.h"

#include "engine/raise/flow_units.h"
#include "engine/raise/unit_placer.h"
#include "engine/raise/variable_predicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace flowray::engine {
namespace {

using graph::FlowRole;

/// Values and units of all frames, so that inner loops can be looked through.
class RegionFinder : private FlatFlow {
 public:
  RegionFinder(const StepGraph& flat, const Frames& frames)
      : FlatFlow(flat),
        frames_(frames),
        predicates_(*this),
        conditions_(flat.values.size()),
        loops_(frames.list.size()),
        inner_frames_(frames.list.size()) {
    for (size_t inner = 1; inner < frames.list.size(); ++inner) {
      inner_frames_[static_cast<size_t>(frames.list[inner].parent)].push_back(static_cast<int>(inner));
    }
  }

  RegionTree find() {
    for (size_t frame = frames_.list.size(); frame-- > 1;) loops_[frame] = make_loop(static_cast<int>(frame));
    make_units(0);
    RegionTree tree;
    tree.step = placer_->place(order_, 0);
    for (const ValueId fetch : flat.fetches) {
      const bool in_loop = producer(fetch) >= 0 && frames_.of_node[static_cast<size_t>(producer(fetch))] != 0;
      if (in_loop) fail_irregular(*endpoint(fetch).node, "it is fetched from inside of a loop");
      if (!condition_of(fetch).empty())
        fail_irregular(*endpoint(fetch).node, "it is fetched from inside of a branch");
      tree.step.gives.push_back(fetch);
    }
    tree.known = std::move(known_);
    tree.alias = std::move(alias);
    return tree;
  }

 private:
  const Condition& condition_of(ValueId id) const { return conditions_[id]; }

  // ---- units

  void make_units(int frame) {
    units_.clear();
    unit_of_node_.clear();
    std::unordered_map<int, uint32_t> unit_of_loop;
    for (const uint32_t place : frames_.list[static_cast<size_t>(frame)].nodes) {
      if (role(place) == FlowRole::kExit) {
        const int from = frames_.of_node[static_cast<size_t>(producer(item(place).inputs[0]))];
        const auto [found, is_new] = unit_of_loop.try_emplace(from, static_cast<uint32_t>(units_.size()));
        if (is_new) units_.push_back(loop_unit(from));
        unit_of_node_[place] = found->second;
        continue;
      }
      unit_of_node_[place] = static_cast<uint32_t>(units_.size());
      Unit unit;
      unit.node = place;
      units_.push_back(std::move(unit));
    }
    // Loops that nothing leaves run for their effects.
    for (const int inner : inner_frames_[static_cast<size_t>(frame)]) {
      if (!unit_of_loop.contains(inner)) units_.push_back(loop_unit(inner));
    }
    for (Unit& unit : units_) connect(unit);
    order();
    predicates_.begin_frame();
    waits_for_read_ = false;
    for (const uint32_t unit : order_) judge(units_[unit], frame);
    if (waits_for_read_) order();
    const FlatFlow& flow = *this;
    placer_.emplace(flow, units_, order_, known_);
  }

  Unit loop_unit(int frame) {
    Unit unit;
    unit.loop = std::move(loops_[static_cast<size_t>(frame)]);
    unit.node = unit.loop->node;
    for (const uint32_t enter : frames_.list[static_cast<size_t>(frame)].enters) {
      unit.reads.push_back(item(enter).inputs[0]);
    }
    return unit;
  }

  void connect(Unit& unit) {
    const auto wait_for = [&](uint32_t place) {
      const auto found = unit_of_node_.find(place);
      if (found != unit_of_node_.end() && &units_[found->second] != &unit)
        unit.after.push_back(found->second);
    };
    std::vector<uint32_t> members{unit.node};
    if (unit.loop.has_value()) {
      members = unit.loop->nodes;
    } else if (!is_loop_merge(unit.node) && role(unit.node) != FlowRole::kEnter) {
      unit.reads = item(unit.node).inputs;
    }
    for (const ValueId id : unit.reads) {
      if (producer(id) >= 0) wait_for(static_cast<uint32_t>(producer(id)));
    }
    for (const uint32_t member : members) {
      if (role(member) == FlowRole::kEnter && !unit.loop.has_value()) continue;  // waited for around the loop
      for (const uint32_t control : item(member).controls) wait_for(control);
    }
  }

  /// Kahn's algorithm, the oldest first; loops come when all that enters them is there.
  void order() {
    std::vector<size_t> open(units_.size());
    for (Unit& unit : units_) unit.waiting.clear();
    const auto younger = [&](uint32_t a, uint32_t b) { return units_[a].node > units_[b].node; };
    std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(younger)> ready(younger);
    for (uint32_t u = 0; u < units_.size(); ++u) {
      open[u] = units_[u].after.size();
      units_[u].num_open = static_cast<uint32_t>(open[u]);
      for (const uint32_t before : units_[u].after) units_[before].waiting.push_back(u);
      if (open[u] == 0) ready.push(u);
    }
    order_.clear();
    while (!ready.empty()) {
      const uint32_t u = ready.top();
      ready.pop();
      units_[u].position = static_cast<uint32_t>(order_.size());
      order_.push_back(u);
      for (const uint32_t next : units_[u].waiting) {
        if (--open[next] == 0) ready.push(next);
      }
    }
    if (order_.size() == units_.size()) return;
    for (uint32_t u = 0; u < units_.size(); ++u) {
      if (open[u] > 0) fail_irregular(node(units_[u].node), "a loop waits for itself");
    }
  }

  // ---- conditions

  /// Sets the condition under which the unit runs, and the aliases of its outputs.
  void judge(Unit& unit, int frame) {
    if (unit.loop.has_value()) {
      unit.condition = joint_condition(unit);
      check_entered_together(unit);
      for (const ValueId out : unit.loop->outputs) set_condition(out, unit.condition);
      return;
    }
    switch (role(unit.node)) {
      case FlowRole::kSwitch:
        return judge_switch(unit);
      case FlowRole::kMerge:
        if (!is_loop_merge(unit.node)) return judge_merge(unit);
        unit.emits = false;
        return;
      case FlowRole::kEnter:
        return judge_enter(unit);
      case FlowRole::kNextIteration:
      case FlowRole::kLoopCond:
        if (frame == 0) fail_irregular(node(unit.node), "it is outside of a loop");
        name_as_input(unit);
        if (role(unit.node) == FlowRole::kLoopCond) predicates_.set_loop_condition(loop_condition(unit.node));
        break;
      default:
        break;
    }
    unit.condition = joint_condition(unit);
    for (const ValueId out : item(unit.node).outputs) set_condition(out, unit.condition);
  }

  /// A variable that enters a loop in other cases than the rest would leave it in other cases too.
  void check_entered_together(const Unit& unit) const {
    const int frame = frames_.of_node[unit.loop->node];
    for (const uint32_t enter : frames_.list[static_cast<size_t>(frame)].enters) {
      const bool is_constant = node(enter).attrs().get<bool>("is_constant");
      if (!is_constant && condition_of(item(enter).inputs[0]).size() != unit.condition.size()) {
        fail_irregular(node(enter), "it runs in other cases than the loop that it leads into");
      }
    }
  }

  void set_condition(ValueId id, const Condition& condition) {
    if (id != kNoValue) conditions_[id] = condition;
  }

  void name_as_input(Unit& unit) {
    unit.emits = false;
    alias[item(unit.node).outputs[0]] = item(unit.node).inputs[0];
  }

  Condition joint_condition(const Unit& unit) const {
    std::vector<const Condition*> all;
    for (const ValueId id : unit.reads) all.push_back(&condition_of(id));
    for (const uint32_t before : unit.after) all.push_back(&units_[before].condition);
    if (node(unit.node).schema().row.runs_after_dead) return common(all);
    return joint(node(unit.node), all);
  }

  /// The branches that all are in.
  static Condition common(const std::vector<const Condition*>& all) {
    Condition shared = all.empty() ? Condition() : *all[0];
    for (const Condition* one : all) {
      const auto differ = std::mismatch(shared.begin(), shared.end(), one->begin(), one->end());
      shared.erase(differ.first, shared.end());
    }
    return shared;
  }

  static Condition joint(const graph::Node& node, const std::vector<const Condition*>& all) {
    const Condition* longest = nullptr;
    for (const Condition* condition : all) {
      if (longest == nullptr || condition->size() > longest->size()) longest = condition;
    }
    if (longest == nullptr) return {};
    for (const Condition* condition : all) {
      if (!is_prefix(*condition, *longest)) fail_irregular(node, "its inputs come from different branches");
    }
    return *longest;
  }

  void judge_switch(Unit& unit) {
    const StepNode& it = item(unit.node);
    unit.condition = joint_condition(unit);
    if (unit.condition.size() >= kMostNestedBranches) {
      throw errors::ResourceExhaustedError(fmt::format(
          "Branches are nested more than {} deep: {} is one too many", kMostNestedBranches, it.node->name()));
    }
    const auto number = static_cast<uint32_t>(&unit - units_.data());
    const auto [predicate, read_by] = predicates_.of_switch(unit, number, unit_of_node_);
    if (read_by.has_value()) {
      unit.after.push_back(*read_by);
      waits_for_read_ = true;
    }
    unit.reads.push_back(predicate);
    for (size_t port = 0; port < it.outputs.size(); ++port) {
      Condition condition = unit.condition;
      condition.push_back({predicate, port == 1});
      set_condition(it.outputs[port], condition);
    }
    // A variable is read where the Switch is; everything else goes under the name that it has.
    unit.emits = is_ref(endpoint(it.inputs[0]).dtype()) && !is_ref(endpoint(it.outputs[0]).dtype());
    if (unit.emits) {
      alias[it.outputs[1]] = it.outputs[0];
      return;
    }
    for (const ValueId out : it.outputs) alias[out] = it.inputs[0];
  }

  void judge_merge(Unit& unit) {
    const StepNode& it = item(unit.node);
    unit.emits = false;
    unit.closes = true;
    if (it.inputs.size() != 2) fail_irregular(node(unit.node), "it merges more than two branches");
    const Condition& a = condition_of(it.inputs[0]);
    const Condition& b = condition_of(it.inputs[1]);
    const bool are_branches = !a.empty() && a.size() == b.size() &&
                              std::equal(a.begin(), a.end() - 1, b.begin()) &&
                              a.back().predicate == b.back().predicate && a.back().value != b.back().value;
    if (!are_branches)
      fail_irregular(node(unit.node), "its inputs are not the two branches of one conditional");
    const bool gives_reference = stands_for_resource(endpoint(it.outputs[0]).dtype());
    if (gives_reference && binds_different(it.inputs[0], it.inputs[1]))
      fail_irregular(node(unit.node), "it merges two variables");
    unit.first_arm = a.back();
    const Condition outer(a.begin(), a.end() - 1);
    std::vector<const Condition*> all{&outer};
    for (const uint32_t control : it.controls) {
      if (const auto found = unit_of_node_.find(control); found != unit_of_node_.end()) {
        all.push_back(&units_[found->second].condition);
      }
    }
    unit.condition = joint(node(unit.node), all);
    if (unit.condition.size() != outer.size())
      fail_irregular(node(unit.node), "it waits for a node of a branch");
    for (const ValueId out : it.outputs) set_condition(out, unit.condition);
  }

  bool binds_different(ValueId a, ValueId b) const {
    const graph::Node* const from = bound_by(a);
    return from != bound_by(b) && (from != nullptr || bound_by(b) != nullptr);
  }

  // ---- loops

  void judge_enter(Unit& unit) {
    unit.emits = false;
    const StepNode& it = item(unit.node);
    alias[it.outputs[0]] = it.inputs[0];
    if (it.node->attrs().get<bool>("is_constant")) {
      look_through_read(it.outputs[0]);
      return;
    }
    for (const uint32_t place : frames_.list[static_cast<size_t>(frames_.of_node[unit.node])].nodes) {
      if (is_loop_merge(place)) continue;
      if (std::ranges::find(item(place).inputs, it.outputs[0]) == item(place).inputs.end()) continue;
      fail_irregular(node(place), "it runs in the first iteration of a loop only");
    }
  }

  /// What a loop takes of a reference variable is the variable: TensorFlow's reads share its memory, so that
  /// updates in the loop are seen by those of the next iteration.
  void look_through_read(ValueId entered) {
    const ValueId id = alias[entered];
    if (producer(id) < 0) return;
    const StepNode& read = item(static_cast<uint32_t>(producer(id)));
    const auto& row = read.node->schema().row;
    const bool is_read = row.view && row.flow == FlowRole::kNone && is_ref(endpoint(read.inputs[0]).dtype());
    if (!is_read) return;
    alias[entered] = read.inputs[0];
    entered_reads.emplace(entered, id);
  }

  /// The input of its LoopCond, through all Identity nodes.
  ValueId loop_condition(uint32_t place) const {
    const ValueId asked = root(item(place).inputs[0]);
    if (stands_for_resource(endpoint(asked).dtype()))
      fail_irregular(node(place), "its loop's condition is a variable that nothing reads");
    return asked;
  }

  RegionItem make_loop(int frame) {
    const Frame& it = frames_.list[static_cast<size_t>(frame)];
    RegionItem loop;
    loop.kind = StepKind::kWhile;
    loop.nodes = it.nodes;
    find_loop_condition(it, loop);
    make_units(frame);
    find_variables(it, loop);
    find_exits(it, loop);
    const Literal goes_on{loop_condition(loop.node), true};
    if (!condition_of(item(loop.node).outputs[0]).empty())
      fail_irregular(node(loop.node), "it is computed in a branch");
    std::vector<uint32_t> condition;
    std::vector<uint32_t> body;
    for (const uint32_t unit : order_) {
      const Condition& when = units_[unit].condition;
      if (when.empty() || when[0].predicate != goes_on.predicate) {
        condition.push_back(unit);
      } else if (when[0] == goes_on) {
        body.push_back(unit);
      } else {
        fail_irregular(node(units_[unit].node), "it runs in the last iteration of a loop only");
      }
    }
    const std::vector<ValueId> extra = read_from_condition(condition, body);
    loop.bodies.push_back(placer_->place(condition, 0));
    loop.bodies.push_back(placer_->place(body, 1));
    add_inner_nodes(loop);
    loop.bodies[0].gives.push_back(resolve(item(loop.node).inputs[0]));
    for (const ValueId id : extra) loop.bodies[0].gives.push_back(id);
    for (const ValueId id : nexts_) loop.bodies[1].gives.push_back(resolve(id));
    return loop;
  }

  void find_loop_condition(const Frame& frame, RegionItem& loop) const {
    bool found = false;
    for (const uint32_t place : frame.nodes) {
      if (role(place) != FlowRole::kLoopCond) continue;
      if (found) fail_irregular(node(place), "its loop has two conditions");
      loop.node = place;
      found = true;
    }
    if (!found) fail_irregular(node(frame.enters[0]), "its loop has no condition");
  }

  void find_variables(const Frame& frame, RegionItem& loop) {
    nexts_.clear();
    for (const uint32_t place : frame.nodes) {
      if (!is_loop_merge(place)) continue;
      const StepNode& merge = item(place);
      if (merge.inputs.size() != 2)
        fail_irregular(*merge.node, "it is the head of a loop with more than two inputs");
      const bool enter_first = role_of_producer(merge.inputs[0]) == FlowRole::kEnter;
      const ValueId entered = merge.inputs[enter_first ? 0 : 1];
      const ValueId next = merge.inputs[enter_first ? 1 : 0];
      if (role_of_producer(entered) != FlowRole::kEnter ||
          role_of_producer(next) != FlowRole::kNextIteration) {
        fail_irregular(*merge.node, "it is the head of a loop, but not of an Enter and a NextIteration");
      }
      loop.inputs.push_back(resolve(entered));
      loop.variables.push_back(merge.outputs[0]);
      loop.outputs.push_back(kNoValue);
      nexts_.push_back(item(static_cast<uint32_t>(producer(next))).inputs[0]);
      const bool is_reference = stands_for_resource(endpoint(merge.outputs[0]).dtype());
      if (is_reference && binds_different(entered, nexts_.back()))
        fail_irregular(*merge.node, "it works on one variable after another");
      if (condition_of(nexts_.back()).size() != 1)
        fail_irregular(*merge.node, "its next value is made in a branch");
    }
  }

  void find_exits(const Frame& frame, RegionItem& loop) {
    for (const uint32_t place : frame.exits) {
      const ValueId left = item(place).inputs[0];
      const auto variable = std::ranges::find(loop.variables, resolve(left));
      if (variable == loop.variables.end() || condition_of(left).size() != 1 || condition_of(left)[0].value) {
        fail_irregular(node(place), "it leaves the loop with something that is not a variable of it");
      }
      ValueId& out = loop.outputs[static_cast<size_t>(variable - loop.variables.begin())];
      if (out == kNoValue) {
        out = item(place).outputs[0];
      } else {
        alias[item(place).outputs[0]] = out;
      }
    }
  }

  /// Values that the condition computes and the body, or the next iteration, reads.
  std::vector<ValueId> read_from_condition(const std::vector<uint32_t>& condition,
                                           const std::vector<uint32_t>& body) const {
    std::unordered_set<ValueId> made;
    for (const uint32_t unit : condition) {
      if (!units_[unit].emits && !units_[unit].closes) continue;
      made.insert(placer_->outputs_of(units_[unit]).begin(), placer_->outputs_of(units_[unit]).end());
    }
    made.erase(kNoValue);
    std::vector<ValueId> extra;
    const auto read = [&](ValueId id) {
      if (made.erase(resolve(id)) > 0) extra.push_back(resolve(id));
    };
    for (const uint32_t unit : body) {
      for (const ValueId id : units_[unit].reads) read(id);
    }
    for (const ValueId id : nexts_) read(id);
    return extra;
  }

  /// Nodes of loops inside, for control edges from them.
  void add_inner_nodes(RegionItem& loop) const {
    const std::function<void(const Region&)> visit = [&](const Region& region) {
      for (const RegionItem& inner : region.items) {
        if (inner.kind == StepKind::kWhile) {
          loop.nodes.insert(loop.nodes.end(), inner.nodes.begin(), inner.nodes.end());
        } else {
          for (const Region& body : inner.bodies) visit(body);
        }
      }
    };
    for (const Region& body : loop.bodies) visit(body);
  }

  const Frames& frames_;
  VariablePredicates predicates_;
  bool waits_for_read_ = false;        // a Switch, for what its frame's order did not know of
  std::vector<Condition> conditions_;  // by value, from its frame on
  std::vector<Array> known_;
  std::vector<std::optional<RegionItem>> loops_;  // by frame, until they are taken into their parent
  std::vector<std::vector<int>> inner_frames_;    // by frame
  // The units of the frame that is being worked on.
  std::vector<Unit> units_;
  std::unordered_map<uint32_t, uint32_t> unit_of_node_;
  std::vector<uint32_t> order_;
  std::vector<ValueId> nexts_;
  std::optional<UnitPlacer> placer_;
};

}  // namespace

RegionTree find_regions(const StepGraph& flat, const Frames& frames) {
  return RegionFinder(flat, frames).find();
}

}  // namespace flowray::engine
