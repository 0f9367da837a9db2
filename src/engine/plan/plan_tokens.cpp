#include "engine/plan/plan_tokens.h"

#include "engine/program/program.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/files_of_step.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace flowray::engine {
namespace {

using graph::FlowRole;

class TokenProgramMaker {
 public:
  TokenProgramMaker(const StepGraph& flat, const std::vector<std::shared_ptr<graph::Resource>>& fed,
                    const Resources& resources, PlanProgram plan_program)
      : flat_(flat),
        resources_(resources),
        plan_program_(plan_program),
        stands_for_(flat.values.size()),
        sends_to_(flat.nodes.size()) {
    for (size_t i = 0; i < fed.size(); ++i) stands_for_[flat.feeds[i]] = fed[i];
  }

  std::unique_ptr<const TokenProgram> make(const std::string& reason) {
    program_.reason = reason;
    program_.frames.emplace_back();
    for (uint32_t place = 0; place < flat_.nodes.size(); ++place) add_node(place);
    for (uint32_t place = 0; place < flat_.nodes.size(); ++place) check_back_edges(place);
    add_edges();
    program_.feeds = flat_.feeds;
    program_.result_of.assign(flat_.values.size(), TokenProgram::kNotFetched);
    for (const ValueId id : flat_.fetches) {
      program_.result_of[id] = static_cast<uint32_t>(program_.results.size());
      program_.results.push_back(flat_.values[id].endpoint);
    }
    return std::make_unique<const TokenProgram>(std::move(program_));
  }

 private:
  FlowRole role(uint32_t place) const { return flat_.nodes[place].node->schema().row.flow; }

  void add_node(uint32_t place) {
    const StepNode& item = flat_.nodes[place];
    TokenNode made;
    made.node = item.node;
    made.is_transfer = graph::is_transfer(item.node->schema());
    made.role = role(place);
    made.frame = frame_of_inputs(place);
    made.first_input = program_.num_inputs;
    made.num_inputs = static_cast<uint32_t>(item.inputs.size());
    made.num_controls = static_cast<uint32_t>(item.controls.size());
    made.outputs = item.outputs;
    program_.num_inputs += made.num_inputs;
    if (item.kind != StepKind::kOp) made.program = program_of(item);
    program_.may_wait |=
        made.program != nullptr ? may_wait(*made.program) : item.node->schema().row.start != nullptr;
    sends_to_[place] = made.frame;
    if (made.role == FlowRole::kMerge) {
      made.num_back_edges = static_cast<uint32_t>(
          std::ranges::count_if(item.inputs, [&](ValueId id) { return is_from_next_iteration(id); }));
    } else if (made.role == FlowRole::kEnter) {
      enter(made);
      sends_to_[place] = made.enters;
    } else if (made.role == FlowRole::kExit) {
      if (made.frame == 0) fail(*item.node, "leaves no loop");
      sends_to_[place] = program_.frames[made.frame].parent;
    }
    bind(item, made);
    if (item.inputs.empty() && item.controls.empty()) program_.roots.push_back(place);
    program_.frames[made.frame].nodes.push_back(place);
    program_.nodes.push_back(std::move(made));
  }

  /// Binds the node's outputs to the resource that they stand for: its own, or its input's.
  void bind(const StepNode& item, TokenNode& made) {
    if (item.kind != StepKind::kOp || item.outputs.empty() ||
        !stands_for_resource(item.node->output_dtype(0)))
      return;
    if (item.inputs.empty()) {
      const graph::FilesOfStep scope(resources_.files);
      made.resource = graph::bind_resource(*item.node, resources_.containers, resources_.states);
      stands_for_[item.outputs[0]] = made.resource;
      return;
    }
    for (const ValueId id : item.outputs) stands_for_[id] = stands_for_[item.inputs[0]];
  }

  /// Shapes are not known before a node runs.
  std::shared_ptr<const Program> program_of(const StepNode& item) const {
    StepGraph alone;
    StepNode node = item;
    node.controls.clear();
    node.waits_for.clear();
    std::vector<ValueFacts> facts;
    for (ValueId& id : node.inputs) {
      facts.push_back(
          {.resource = stands_for_[id], .handle_shape = graph::handle_shape(flat_.values[id].endpoint)});
      alone.values.push_back({flat_.values[id].endpoint, -1});
      alone.feeds.push_back(id = static_cast<ValueId>(alone.values.size() - 1));
    }
    for (ValueId& id : node.outputs) {
      alone.values.push_back({flat_.values[id].endpoint, 0});
      alone.fetches.push_back(id = static_cast<ValueId>(alone.values.size() - 1));
    }
    alone.nodes.push_back(std::move(node));
    alone = blocking_first(std::move(alone));
    const Facts known = specialise(alone, std::move(facts), resources_);
    return plan_program_({.step = alone, .facts = known});
  }

  void enter(TokenNode& made) {
    const auto& name = made.node->attrs().get<std::string>("frame_name");
    const auto [found, is_new] =
        by_name_.try_emplace({made.frame, name}, static_cast<uint32_t>(program_.frames.size()));
    if (is_new) program_.frames.push_back({made.frame, name, {}, 0});
    made.enters = found->second;
    made.enters_constant = made.node->attrs().get<bool>("is_constant");
    ++program_.frames[made.enters].num_enters;
  }

  bool is_from_next_iteration(ValueId id) const {
    const int32_t from = flat_.values[id].producer;
    return from >= 0 && role(static_cast<uint32_t>(from)) == FlowRole::kNextIteration;
  }

  /// All that a node waits for comes from one frame. What is fed comes from outside of all loops.
  uint32_t frame_of_inputs(uint32_t place) const {
    const StepNode& item = flat_.nodes[place];
    std::optional<std::pair<uint32_t, const graph::Node*>> first;
    const auto meet = [&](uint32_t frame, const graph::Node* from) {
      if (!first) first.emplace(frame, from);
      if (first->first != frame) fail_different(*item.node, *first->second, first->first, *from, frame);
    };
    for (const ValueId id : item.inputs) {
      const int32_t from = flat_.values[id].producer;
      if (from >= static_cast<int32_t>(place)) continue;  // from the end of an iteration, which comes later
      const graph::Node* const node = flat_.values[id].endpoint.node;
      meet(from < 0 ? 0 : sends_to_[static_cast<size_t>(from)], node);
    }
    for (const uint32_t from : item.controls) meet(sends_to_[from], flat_.nodes[from].node);
    return first ? first->first : 0;
  }

  void check_back_edges(uint32_t place) const {
    for (const ValueId id : flat_.nodes[place].inputs) {
      const int32_t from = flat_.values[id].producer;
      if (from < static_cast<int32_t>(place)) continue;
      const uint32_t frame = sends_to_[static_cast<size_t>(from)];
      const TokenNode& node = program_.nodes[place];
      if (frame != node.frame) {
        fail_different(*node.node, *node.node->input(0).node, node.frame,
                       *flat_.nodes[static_cast<size_t>(from)].node, frame);
      }
    }
  }

  [[noreturn]] void fail_different(const graph::Node& node, const graph::Node& a, uint32_t frame_a,
                                   const graph::Node& b, uint32_t frame_b) const {
    fail(node, fmt::format(
                   "has inputs from different frames. The input {{{{node {}}}}} is in frame '{}'. The input "
                   "{{{{node {}}}}} is in frame '{}'.",
                   a.name(), program_.frames[frame_a].name, b.name(), program_.frames[frame_b].name));
  }

  [[noreturn]] static void fail(const graph::Node& node, const std::string& what) {
    throw errors::InvalidArgumentError(
        fmt::format("{{{{node {}}}}} {}{}", node.name(), what, graph::made_at(node)), node.name());
  }

  void add_edges() {
    std::vector<std::vector<TokenEdge>> by_value(flat_.values.size());
    std::vector<std::vector<uint32_t>> waiting(flat_.nodes.size());
    for (uint32_t place = 0; place < flat_.nodes.size(); ++place) {
      const StepNode& item = flat_.nodes[place];
      for (uint32_t i = 0; i < item.inputs.size(); ++i) by_value[item.inputs[i]].push_back({place, i});
      for (const uint32_t from : item.controls) waiting[from].push_back(place);
    }
    for (const auto& edges : by_value) program_.out_edges.push_back(append(program_.edges, edges));
    for (uint32_t place = 0; place < flat_.nodes.size(); ++place) {
      program_.nodes[place].control_edges = append(program_.controls, waiting[place]);
    }
  }

  template <class T>
  static TokenRange append(std::vector<T>& list, const std::vector<T>& more) {
    const auto begin = static_cast<uint32_t>(list.size());
    list.insert(list.end(), more.begin(), more.end());
    return {begin, static_cast<uint32_t>(list.size())};
  }

  const StepGraph& flat_;
  const Resources& resources_;
  const PlanProgram plan_program_;
  std::vector<std::shared_ptr<graph::Resource>> stands_for_;  // by value; null where it is one
  std::vector<uint32_t> sends_to_;                            // by node: the frame that its outputs are in
  std::map<std::pair<uint32_t, std::string>, uint32_t> by_name_;
  TokenProgram program_;
};

}  // namespace

std::unique_ptr<const TokenProgram> make_token_program(
    const StepNode& tokens, const std::vector<std::shared_ptr<graph::Resource>>& fed,
    const Resources& resources, PlanProgram plan_program) {
  return TokenProgramMaker(tokens.bodies[0], fed, resources, plan_program).make(tokens.reason);
}

}  // namespace flowray::engine
