#include "support/interpreter.h"

#include "engine/step/function_bodies.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/files_of_step.h"
#include "graph/resource/variable.h"
#include "graph/signature.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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
  /// `root`: the graph that functions are called from, by way of `depth` others.
  Run(graph::ResourceContainers& containers, graph::NodeStates& states, graph::Graph& root,
      const std::map<Key, NodeInput>& fed, const Nodes& needed, int depth = 0)
      : containers_(containers), states_(states), root_(root), depth_(depth), fed_(fed), loops_(needed, fed) {
    step_.loop = &loops_.step();
    run_nodes(step_);
  }

  void check_has_value(Endpoint fetch, size_t number) {
    if (outcome(fetch, step_)) return;
    throw errors::InvalidArgumentError("Retval[" + std::to_string(number) + "] does not have value\n" +
                                       fetch.name() + " is dead.");
  }
  Array fetch(Endpoint endpoint) {
    const Outcome value = outcome(endpoint, step_);
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
    const Array predicate = node_input(node, 1, inputs[1]).value;
    if (predicate.rank() != 0) {
      throw errors::InvalidArgumentError("The second input must be a scalar, but it has shape " +
                                         predicate.shape().to_string());
    }
    outputs[predicate.item<bool>() ? 1 : 0] = value;
    return outputs;
  }

  std::vector<Outcome> run_op(Node& node, const std::vector<NodeInput>& taken) {
    std::vector<NodeInput> inputs;
    for (int i = 0; i < node.num_inputs(); ++i)
      inputs.push_back(node_input(node, i, taken[static_cast<size_t>(i)]));
    const files::FileAccess all_files = files::FileAccess::all();
    const graph::FilesOfStep scope(all_files);
    if (makes_resource(node)) {
      return {NodeInput{Array(), graph::bind_resource(node, containers_, states_).get()}};  // which they hold
    }
    const graph::OpRow& row = node.schema().row;
    if (row.view && inputs[0].resource != nullptr) return {inputs[0]};
    const bool only_orders =
        node.num_outputs() == 0 && row.prepare == nullptr && row.compute == nullptr && row.start == nullptr;
    if (engine::call_role(node.schema()) != engine::CallRole::kNone) return call_functions(node, inputs);
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

  // ---- functions

  using Inputs = std::span<const NodeInput>;
  static constexpr int kMostDepth = 16;

  std::vector<Outcome> call_functions(Node& node, Inputs inputs) {
    const auto run_number = [&](size_t number, std::string_view called, int first_arg, Inputs args) {
      const graph::FunctionBody& body =
          engine::FunctionBodies::of(root_).body(node, number, called, first_arg);
      return run_body(node, body, args);
    };
    switch (engine::call_role(node.schema())) {
      case engine::CallRole::kIf: {
        const bool taken = is_true(inputs[0].value);
        return run_number(taken ? 1 : 0, taken ? "then" : "else", 1, inputs.subspan(1));
      }
      case engine::CallRole::kCase: {
        const size_t last = engine::FunctionBodies::count(node) - 1;
        const auto chosen = static_cast<size_t>(inputs[0].value.item<int32_t>());  // what is below 0 is large
        const size_t number = std::min(chosen, last);
        return run_number(number, "branch_" + std::to_string(number), 1, inputs.subspan(1));
      }
      case engine::CallRole::kWhile: {
        std::vector<Outcome> variables(inputs.begin(), inputs.end());
        std::vector<NodeInput> now(inputs.begin(), inputs.end());
        while (is_true(run_number(0, "cond", 0, now)[0]->value)) {
          variables = run_number(1, "body", 0, now);
          for (size_t i = 0; i < now.size(); ++i) now[i] = *variables[i];
        }
        return variables;
      }
      default:
        return run_number(0, "", 0, inputs);
    }
  }

  static bool is_true(const Array& predicate) {
    if (predicate.rank() > 0) return predicate.size() > 0;
    if (predicate.dtype() == DType::kString) return !predicate.item<std::string>().empty();
    const std::span bytes(static_cast<const std::byte*>(predicate.raw_data()), predicate.size_bytes());
    return std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  }

  std::vector<Outcome> run_body(const Node& caller, const graph::FunctionBody& body, Inputs args) {
    if (depth_ == kMostDepth) throw errors::UnimplementedError(caller.name() + " calls itself");
    std::map<Key, NodeInput> fed;
    for (size_t i = 0; i < body.args.size(); ++i) fed[key_of(body.args[i])] = args[i];
    // TensorFlow makes Switch and Merge of what is marked so, and forgets what nothing waits for.
    const graph::AttrValue* lowered = caller.attrs().find("_lower_using_switch_merge");
    const bool is_lowered = lowered != nullptr && lowered->get<bool>();
    Run run(containers_, states_, root_, fed,
            needed_nodes(body.results, is_lowered ? body.control_outputs : body.effects, fed), depth_ + 1);
    std::vector<Outcome> results;
    for (const Endpoint& result : body.results) results.push_back(run.outcome(result, run.step_));
    return results;
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
  graph::Graph& root_;
  const int depth_;
  const std::map<Key, NodeInput>& fed_;
  Loops loops_;
  Iteration step_;
  Serial serial_;
};

bool is_unseeded(const Node& node) {
  const graph::Attrs& attrs = node.attrs();
  return node.schema().row.stateful && attrs.contains("seed") && attrs.contains("seed2") &&
         attrs.get<int64_t>("seed") == 0 && attrs.get<int64_t>("seed2") == 0;
}

/// Within 1e-5 of the largest element, which what was added up may have been as large as.
template <class T>
bool is_near(const Array& a, const Array& b) {
  T largest = 0;
  for (int64_t i = 0; i < b.size(); ++i) {
    if (std::isfinite(b.data<T>()[i])) largest = std::max(largest, std::abs(b.data<T>()[i]));
  }
  return std::equal(a.data<T>(), a.data<T>() + a.size(), b.data<T>(), [=](T x, T y) {
    if (!std::isfinite(y)) return x == y || (std::isnan(x) && std::isnan(y));
    return std::abs(x - y) <= T(1e-5) * largest;
  });
}

}  // namespace

bool is_same(const Array& a, const Array& b, int threads) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::kString) return a == b;
  if (std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0) return true;
  return threads != 1 && ((a.dtype() == DType::kFloat32 && is_near<float>(a, b)) ||
                          (a.dtype() == DType::kFloat64 && is_near<double>(a, b)));
}

std::string Interpreter::beyond(const std::vector<Endpoint>& fetches, const std::vector<Endpoint>& feeds,
                                const std::vector<Node*>& targets) {
  std::map<Key, NodeInput> fed;
  for (const Endpoint& feed : feeds) fed[key_of(feed)] = {};
  for (const Node* node : needed_nodes(fetches, targets, fed)) {
    if (node->schema().row.start != nullptr) return node->op() + " may wait";
    if (is_unseeded(*node)) return node->op() + " without a seed";
  }
  return "";
}

std::vector<Array> Interpreter::run(const std::vector<Endpoint>& fetches, const std::vector<Feed>& feeds,
                                    const std::vector<Node*>& targets) {
  std::map<Key, NodeInput> fed;
  for (const Feed& feed : feeds) fed[key_of(feed.endpoint)] = {feed.value, nullptr};
  if (fetches.empty() && targets.empty()) return {};
  graph::Graph& root = (fetches.empty() ? targets[0] : fetches[0].node)->graph();
  Run run(*containers_, *this, root, fed, needed_nodes(fetches, targets, fed));
  std::map<std::string, Endpoint> by_name;  // as TensorFlow numbers them in errors
  for (const Endpoint& fetch : fetches) {
    if (!fed.contains(key_of(fetch))) by_name.emplace(fetch.name(), fetch);
  }
  size_t number = 0;
  for (const auto& [name, fetch] : by_name) run.check_has_value(fetch, number++);
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
