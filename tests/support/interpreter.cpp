#include "support/interpreter.h"

#include "graph/blocking_call.h"
#include "graph/signature.h"
#include "graph/variable.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

namespace flowray::testing {
namespace {

using graph::Endpoint;
using graph::FlowRole;
using graph::Node;
using graph::NodeInput;
using Key = std::pair<const Node*, int>;

Key key_of(Endpoint endpoint) { return {endpoint.node, endpoint.index}; }

struct ById {
  bool operator()(const Node* a, const Node* b) const { return a->id() < b->id(); }
};
using Nodes = std::set<Node*, ById>;

/// Everything that must run, in creation order.
Nodes needed_nodes(const std::vector<Endpoint>& fetches, const std::vector<Node*>& targets,
                   const std::map<Key, NodeInput>& fed) {
  Nodes needed;
  std::vector<Node*> open(targets);
  for (const Endpoint& fetch : fetches) {
    if (!fed.contains(key_of(fetch))) open.push_back(fetch.node);
  }
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (!needed.insert(node).second) continue;
    for (const Endpoint& input : node->inputs()) {
      if (!fed.contains(key_of(input))) open.push_back(input.node);
    }
    for (Node* control : node->control_inputs()) open.push_back(control);
  }
  return needed;
}

bool stands_for_resource(DType dtype) { return is_ref(dtype) || dtype == DType::kResource; }

FlowRole role(const Node& node) { return node.schema().row.flow; }

/// A loop, or the whole step. Its Enter nodes are in it, its Exit nodes in the one around it.
struct Loop {
  Loop* around = nullptr;
  std::string name;
  std::vector<Node*> nodes = {};
  std::vector<Node*> exits = {};
};

/// Which loop each node is in.
class Loops {
 public:
  Loops(const Nodes& nodes, const std::map<Key, NodeInput>& fed) : fed_(fed) {
    for (Node* node : nodes) {
      Loop* const loop = of(*node);
      loop->nodes.push_back(node);
      if (role(*node) == FlowRole::kExit) of_inputs(*node)->exits.push_back(node);
    }
  }

  Loop& step() { return step_; }
  std::deque<Loop>& inner() { return loops_; }

  Loop* of(const Node& node) {
    const auto known = of_.find(&node);
    if (known != of_.end()) return known->second;
    Loop* loop = of_inputs(node);
    if (role(node) == FlowRole::kExit) loop = loop->around;
    if (role(node) == FlowRole::kEnter) loop = entered(loop, node.attrs().get<std::string>("frame_name"));
    of_[&node] = loop;
    return loop;
  }

  /// The loop that a node's inputs come from.
  Loop* of_inputs(const Node& node) {
    for (const Endpoint& input : node.inputs()) {
      if (role(*input.node) == FlowRole::kNextIteration && role(node) == FlowRole::kMerge) continue;
      return fed_.contains(key_of(input)) ? &step_ : of(*input.node);
    }
    return node.control_inputs().empty() ? &step_ : of(*node.control_inputs()[0]);
  }

 private:
  Loop* entered(Loop* around, const std::string& name) {
    for (Loop& loop : loops_) {
      if (loop.around == around && loop.name == name) return &loop;
    }
    return &loops_.emplace_back(Loop{around, name});
  }

  const std::map<Key, NodeInput>& fed_;
  Loop step_;
  std::deque<Loop> loops_;
  std::map<const Node*, Loop*> of_;
};

/// What came out of a node: nothing, where it is in a branch that was not taken.
using Outcome = std::optional<NodeInput>;

/// Once through a loop's nodes (or the step's).
struct Iteration {
  const Loop* loop = nullptr;
  Iteration* around = nullptr;
  bool is_first = true;
  std::map<const Node*, Outcome> from_before = {};  // by NextIteration
  std::map<const Node*, std::vector<Outcome>> outcomes = {};
  std::map<const Node*, Outcome> exits = {};  // of loops inside that have run
  std::set<const Loop*> ran = {};
};

/// Works out each node's outcome from those of its inputs, which are worked out first.
class Run {
 public:
  Run(graph::ResourceContainers& containers, graph::NodeStates& states, const std::map<Key, NodeInput>& fed,
      const Nodes& needed)
      : containers_(containers), states_(states), fed_(fed), loops_(needed, fed) {
    step_.loop = &loops_.step();
    run_nodes(step_);
  }

  Array fetch(Endpoint endpoint) {
    const Outcome value = outcome(endpoint, step_);
    if (!value) throw errors::InvalidArgumentError(endpoint.name() + " is dead");
    return value->resource != nullptr ? graph::resource_as<graph::Variable>(*value->resource).read()
                                      : value->value;
  }

 private:
  void run_nodes(Iteration& now) {
    for (Node* node : now.loop->nodes) (void)outcomes(*node, now);
    for (Loop& loop : loops_.inner()) {
      if (loop.around == now.loop) run_loop(loop, now);
    }
  }

  void run_loop(Loop& loop, Iteration& around) {
    if (!around.ran.insert(&loop).second) return;
    for (Node* exit : loop.exits) around.exits[exit] = std::nullopt;
    std::map<const Node*, Outcome> next;
    bool is_first = true;
    do {
      Iteration now{&loop, &around, is_first, std::move(next)};
      is_first = false;
      next.clear();
      run_nodes(now);
      for (Node* exit : loop.exits) {
        const Outcome left = outcome(exit->input(0), now);
        if (left) around.exits[exit] = left;
      }
      for (Node* node : loop.nodes) {
        if (role(*node) != FlowRole::kNextIteration) continue;
        const Outcome value = outcomes(*node, now)[0];
        if (value) next[node] = value;
      }
    } while (!next.empty());
  }

  Outcome outcome(Endpoint endpoint, Iteration& now) {
    const auto fed = fed_.find(key_of(endpoint));
    if (fed != fed_.end()) return fed->second;
    return outcomes(*endpoint.node, now)[static_cast<size_t>(endpoint.index)];
  }

  /// Of a node of this iteration, or of one around it.
  const std::vector<Outcome>& outcomes(Node& node, Iteration& now) {
    if (loops_.of(node) != now.loop) {
      if (now.around == nullptr) throw errors::InvalidArgumentError(node.name() + " is inside of a loop");
      return outcomes(node, *now.around);
    }
    const auto known = now.outcomes.find(&node);
    if (known != now.outcomes.end()) return known->second;
    std::vector<Outcome> made;
    try {
      made = work_out(node, now);
    } catch (const errors::OpError& error) {
      if (!error.node_name().empty()) throw;
      graph::rethrow_with_node(node, error);
    }
    return now.outcomes[&node] = std::move(made);
  }

  std::vector<Outcome> work_out(Node& node, Iteration& now) {
    switch (role(node)) {
      case FlowRole::kEnter:
        return {now.is_first || node.attrs().get<bool>("is_constant") ? first_value(node, *now.around)
                                                                      : std::nullopt};
      case FlowRole::kExit:
        run_loop(*loops_.of_inputs(node), now);
        return {now.exits.at(&node)};
      case FlowRole::kMerge:
        for (Node* control : node.control_inputs()) (void)outcomes(*control, now);
        return merge(node, now);
      default:
        break;
    }
    bool is_dead = false;
    std::vector<NodeInput> inputs;
    for (const Endpoint& input : node.inputs()) {
      const Outcome value = outcome(input, now);
      is_dead = is_dead || !value;
      inputs.push_back(value.value_or(NodeInput{}));
    }
    for (Node* control : node.control_inputs()) is_dead = is_any_dead(*control, now) || is_dead;
    if (node.op() == "ControlTrigger") is_dead = false;
    const std::vector<Outcome> nothing(static_cast<size_t>(node.num_outputs()));
    return is_dead ? nothing : role(node) == FlowRole::kNone ? run_op(node, inputs) : pass(node, inputs);
  }

  Outcome first_value(Node& enter, Iteration& around) {
    bool is_dead = false;
    for (Node* control : enter.control_inputs()) is_dead = is_any_dead(*control, around) || is_dead;
    const Outcome value = outcome(enter.input(0), around);
    return is_dead ? std::nullopt : value;
  }

  /// Whether the node itself did not run: one output of a Switch is dead where it did.
  bool is_any_dead(Node& node, Iteration& now) {
    const std::vector<Outcome>& all = outcomes(node, now);
    if (node.op() == "ControlTrigger") return false;
    if (node.num_outputs() > 0)
      return std::ranges::none_of(all, [](const Outcome& one) { return one.has_value(); });
    for (const Endpoint& input : node.inputs()) {
      if (!outcome(input, now)) return true;
    }
    return std::ranges::any_of(node.control_inputs(),
                               [&](Node* control) { return is_any_dead(*control, now); });
  }

  std::vector<Outcome> merge(Node& node, Iteration& now) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool comes_from_before = role(*node.input(i).node) == FlowRole::kNextIteration;
      const auto before = now.from_before.find(node.input(i).node);
      if (comes_from_before && before == now.from_before.end()) continue;
      const Outcome value = comes_from_before ? before->second : outcome(node.input(i), now);
      if (value) return {value, NodeInput{Array(static_cast<int32_t>(i)), nullptr}};
    }
    return {std::nullopt, std::nullopt};
  }

  /// Switch, NextIteration and LoopCond.
  static std::vector<Outcome> pass(const Node& node, const std::vector<NodeInput>& inputs) {
    const NodeInput value = node_input(node, 0, inputs[0]);
    if (role(node) != FlowRole::kSwitch) return {value};
    std::vector<Outcome> outputs(2);
    if (inputs[1].value.rank() != 0) throw errors::InvalidArgumentError("The second input must be a scalar");
    outputs[inputs[1].value.item<bool>() ? 1 : 0] = value;
    return outputs;
  }

  std::vector<Outcome> run_op(Node& node, const std::vector<NodeInput>& taken) {
    std::vector<NodeInput> inputs;
    for (int i = 0; i < node.num_inputs(); ++i)
      inputs.push_back(node_input(node, i, taken[static_cast<size_t>(i)]));
    if (makes_resource(node)) {
      return {NodeInput{Array(), graph::bind_resource(node, containers_, states_).get()}};  // which they hold
    }
    const graph::OpRow& row = node.schema().row;
    if (row.view && inputs[0].resource != nullptr) return {inputs[0]};
    const bool only_orders =
        node.num_outputs() == 0 && row.prepare == nullptr && row.compute == nullptr && row.start == nullptr;
    if (only_orders) return {};
    std::vector<Array> outputs = graph::evaluate(node, inputs, states_, serial_);
    std::vector<Outcome> outcomes;
    for (Array& output : outputs) {
      const bool is_reference = !output.has_value();
      outcomes.push_back(is_reference ? NodeInput{Array(), inputs[0].resource}
                                      : NodeInput{std::move(output), nullptr});
    }
    return outcomes;
  }

  static bool makes_resource(const Node& node) {
    if (node.num_outputs() != 1 || !stands_for_resource(node.output_dtype(0))) return false;
    return node.num_inputs() == 0;
  }

  static NodeInput node_input(const Node& node, int i, const NodeInput& value) {
    const bool wants_resource =
        graph::takes_reference(node.schema(), node.attrs(), i) || node.input(i).dtype() == DType::kResource;
    if (value.resource == nullptr || wants_resource) return value;
    return {graph::resource_as<graph::Variable>(*value.resource).read(), nullptr};
  }

  graph::ResourceContainers& containers_;
  graph::NodeStates& states_;
  const std::map<Key, NodeInput>& fed_;
  Loops loops_;
  Iteration step_;
  Serial serial_;
};

}  // namespace

std::vector<Array> Interpreter::run(const std::vector<Endpoint>& fetches, const std::vector<Feed>& feeds,
                                    const std::vector<Node*>& targets) {
  std::map<Key, NodeInput> fed;
  for (const Feed& feed : feeds) fed[key_of(feed.endpoint)] = {feed.value, nullptr};
  Run run(containers_, *this, fed, needed_nodes(fetches, targets, fed));
  std::vector<Array> results;
  for (const Endpoint& fetch : fetches) results.push_back(run.fetch(fetch));
  return results;
}

std::shared_ptr<graph::NodeState> Interpreter::find_or_make(
    const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) {
  std::shared_ptr<graph::NodeState>& state = states_[name];
  if (state == nullptr) state = make();
  return state;
}

}  // namespace flowray::testing
