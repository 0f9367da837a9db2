/// Calls of functions become what the functions do: a call's body takes its place, and If, While and Case get
/// their functions as graphs within the graph.
#include "engine/step/call_expander.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {
namespace {

using graph::Endpoint;
using graph::FunctionBody;
using graph::Node;

/// How deep branches and loops are within each other.
size_t nesting_of(const StepGraph& graph) {
  size_t deepest = 0;
  for (const StepNode& item : graph.nodes) {
    for (const StepGraph& body : item.bodies) deepest = std::max(deepest, 1 + nesting_of(body));
  }
  return deepest;
}

/// Conditionals and loops become If and While with graphs of their own.
class NestedCalls : public CallExpander {
 public:
  NestedCalls(FunctionBodies& bodies, CallDepth& depth, StepGraph (*structured)(StepGraph))
      : CallExpander(bodies, depth), structured_(structured) {}

 private:
  void replace_if(const StepNode& item, bool is_root) override {
    after_[place_] = {append(make_if(item), is_root)};
  }
  void replace_while(const StepNode& item, bool is_root) override {
    after_[place_] = {append(make_while(item), is_root)};
  }
  void replace_case(const StepNode& item, bool is_root) override {
    after_[place_] = {append(make_case(item), is_root)};
  }
  Expanded expand_body(const StepGraph& flat, std::span<Node* const> effects) override {
    return NestedCalls(bodies_, depth_, structured_).expand(flat, effects);
  }

  /// The node that gives one value of `inputs`.
  ValueId add_helper(Node* node, Ids inputs) {
    StepNode item;
    item.node = node;
    item.inputs = std::move(inputs);
    const ValueId id = add_value({node->output(0)});
    item.outputs = {id};
    append_placed(std::move(item), false, {});
    return id;
  }

  /// The same, in a condition's graph.
  static ValueId add_truth(StepGraph& graph, Node* node, ValueId of) {
    const auto id = static_cast<ValueId>(graph.values.size());
    graph.values.push_back({node->output(0), static_cast<int32_t>(graph.nodes.size())});
    StepNode item;
    item.node = node;
    item.inputs = {of};
    item.outputs = {id};
    graph.nodes.push_back(std::move(item));
    return id;
  }

  /// The body as a graph of its own, which is fed all `args`.
  StepGraph nested_body(const Node& caller, const FunctionBody& body, const std::vector<Endpoint>& args,
                        const std::vector<Endpoint>& results) {
    StepGraph graph = structured_(flat_body(caller, body, args, results).graph);
    check_nesting(1 + nesting_of(graph), caller);
    return graph;
  }

  static bool is_truth(const Endpoint& endpoint) {
    return endpoint.dtype() == DType::kBool && endpoint.shape().rank() == 0;
  }

  StepNode make_if(const StepNode& item) {
    StepNode made;
    made.node = item.node;
    made.kind = StepKind::kIf;
    made.controls = item.controls;
    made.inputs = {item.inputs[0]};
    const Endpoint& asked = item.node->input(0);
    if (!is_truth(asked)) made.inputs[0] = add_helper(bodies_.truth_of(asked), {item.inputs[0]});
    const std::vector<size_t> read = read_outputs(item);
    for (const size_t i : read) made.outputs.push_back(item.outputs[i]);
    for (const size_t number : {0u, 1u}) {
      const FunctionBody& body = open_body(item, number, number == 0 ? "else" : "then", 1);
      made.bodies.push_back(nested_body(*item.node, body, body.args, chosen(body.results, read)));
      close_body();
    }
    made.inputs.insert(made.inputs.end(), item.inputs.begin() + 1, item.inputs.end());
    drop_unread_feeds(made, 1);
    return made;
  }

  /// Takes away what no body reads, of the inputs from `first` on, which the bodies are fed in their order.
  static void drop_unread_feeds(StepNode& made, size_t first) {
    std::vector<bool> is_read(made.inputs.size() - first, false);
    for (const StepGraph& body : made.bodies) {
      const std::vector<bool> in_body = read_values(body);
      for (size_t i = 0; i < is_read.size(); ++i) is_read[i] = is_read[i] || in_body[body.feeds[i]];
    }
    for (size_t i = is_read.size(); i-- > 0;) {
      if (is_read[i]) continue;
      made.inputs.erase(made.inputs.begin() + static_cast<ptrdiff_t>(first + i));
      for (StepGraph& body : made.bodies) body.feeds.erase(body.feeds.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  /// A row of Ifs: is it 0, is it 1, ...; any other number takes the last branch.
  StepNode make_case(const StepNode& item) {
    const size_t count = FunctionBodies::count(*item.node);
    if (count == 0) throw errors::InvalidArgumentError("A Case needs a branch at least, and has none");
    check_nesting(count - 1, *item.node);
    const std::vector<size_t> read = read_outputs(item);
    StepNode made;
    std::vector<Endpoint> asked;
    Ids inputs;
    for (size_t i = 0; i + 1 < count; ++i) {
      const auto [number, equal] = bodies_.is_number(const_cast<Node&>(*item.node), static_cast<int32_t>(i));
      const ValueId constant = add_helper(number, {});
      // It waits for what the Case waits for, so that it belongs to the same loop.
      out_.nodes.back().controls = starts_of(item, /*with_inputs=*/true);
      inputs.push_back(add_helper(equal, {item.inputs[0], constant}));
      asked.push_back(equal->output(0));
    }
    inputs.insert(inputs.end(), item.inputs.begin() + 1, item.inputs.end());
    std::vector<StepGraph> branches;
    std::vector<Endpoint> args;
    for (size_t i = 0; i < count; ++i) {
      const FunctionBody& body = open_body(item, i, fmt::format("branch_{}", i), 1);
      branches.push_back(nested_body(*item.node, body, body.args, chosen(body.results, read)));
      close_body();
      if (i == 0) args = body.args;
    }
    size_t deepest = 0;
    for (size_t i = 0; i < count; ++i)
      deepest = std::max(deepest, std::min(i + 1, count - 1) + nesting_of(branches[i]));
    check_nesting(deepest, *item.node);
    StepGraph rest = std::move(branches.back());
    for (size_t i = count - 1; i-- > 0;) {
      made = StepNode{};
      made.node = item.node;
      made.kind = StepKind::kIf;
      made.bodies.push_back(std::move(rest));
      made.bodies.push_back(std::move(branches[i]));
      if (i > 0) rest = graph_of_if(std::move(made), args, asked, i, read);
    }
    made.controls = item.controls;
    for (const size_t i : read) made.outputs.push_back(item.outputs[i]);
    // The last If is fed only the arguments; each one around it one predicate more.
    made.inputs = {inputs[0]};
    made.inputs.insert(made.inputs.end(), inputs.begin() + 1, inputs.end());
    feed_before(made.bodies[1], asked, 1);
    return made;
  }

  /// A graph with nothing but the If that asks `asked[number]`; fed that, the later ones, and the arguments.
  static StepGraph graph_of_if(StepNode made, const std::vector<Endpoint>& args,
                               const std::vector<Endpoint>& asked, size_t number,
                               const std::vector<size_t>& read) {
    StepGraph graph;
    const auto feed = [&](const Endpoint& endpoint) {
      graph.feeds.push_back(static_cast<ValueId>(graph.values.size()));
      graph.values.push_back({endpoint, -1});
      made.inputs.push_back(graph.feeds.back());
    };
    for (size_t i = number; i < asked.size(); ++i) feed(asked[i]);
    for (const Endpoint& arg : args) feed(arg);
    feed_before(made.bodies[1], asked, number + 1);
    for (const size_t i : read) {
      made.outputs.push_back(static_cast<ValueId>(graph.values.size()));
      graph.values.push_back({const_cast<Node*>(made.node)->output(static_cast<int>(i)), 0});
    }
    graph.fetches = made.outputs;
    graph.nodes.push_back(std::move(made));
    return graph;
  }

  /// Feeds that a branch does not look at: its sibling is fed them as well.
  static void feed_before(StepGraph& branch, const std::vector<Endpoint>& asked, size_t first) {
    Ids feeds;
    for (size_t i = first; i < asked.size(); ++i) {
      feeds.push_back(static_cast<ValueId>(branch.values.size()));
      branch.values.push_back({asked[i], -1});
    }
    branch.feeds.insert(branch.feeds.begin(), feeds.begin(), feeds.end());
  }

  /// What the body gives back as it got it is not a variable of the loop but something that it takes from
  /// around it; what neither the condition, nor an effect, nor a result that is read depends on is left out.
  StepNode make_while(const StepNode& item) {
    const FunctionBody& condition = open_body(item, 0, "cond", 0);
    close_body();
    const FunctionBody& body = open_body(item, 1, "body", 0);
    close_body();
    const size_t count = body.args.size();
    std::vector<bool> is_variable(count);
    std::vector<bool> is_needed(count);
    for (size_t i = 0; i < count; ++i) {
      is_variable[i] = passed_on(body, body.results[i]) != static_cast<int>(i);
      is_needed[i] = is_read_[item.outputs[i]];
    }
    need_what_is_read(*item.node, condition, {condition.results[0]}, is_needed);
    while (need_what_is_read(*item.node, body, results_of(body, is_variable, is_needed), is_needed)) {
    }
    StepNode made;
    made.node = item.node;
    made.kind = StepKind::kWhile;
    made.controls = item.controls;
    std::vector<Endpoint> condition_args;
    std::vector<Endpoint> body_args;
    for (const bool variables : {true, false}) {
      for (size_t i = 0; i < count; ++i) {
        if (!is_needed[i] || is_variable[i] != variables) continue;
        made.inputs.push_back(item.inputs[i]);
        condition_args.push_back(condition.args[i]);
        body_args.push_back(body.args[i]);
        if (variables) made.outputs.push_back(item.outputs[i]);
      }
    }
    for (size_t i = 0; i < count; ++i) {
      if (!is_variable[i]) alias_of(item.outputs[i]) = item.inputs[i];
    }
    depth_.open(FunctionBodies::function_name(*item.node, 0), 0);  // counted above
    made.bodies.push_back(nested_body(*item.node, condition, condition_args, {condition.results[0]}));
    if (!is_truth(condition.results[0])) {
      StepGraph& graph = made.bodies[0];
      graph.fetches[0] = add_truth(graph, bodies_.truth_of(condition.results[0]), graph.fetches[0]);
    }
    close_body();
    depth_.open(FunctionBodies::function_name(*item.node, 1), 0);
    made.bodies.push_back(nested_body(*item.node, body, body_args, results_of(body, is_variable, is_needed)));
    close_body();
    return made;
  }

  static std::vector<Endpoint> results_of(const FunctionBody& body, const std::vector<bool>& is_variable,
                                          const std::vector<bool>& is_needed) {
    std::vector<Endpoint> results;
    for (size_t i = 0; i < is_needed.size(); ++i) {
      if (is_needed[i] && is_variable[i]) results.push_back(body.results[i]);
    }
    return results;
  }

  /// Marks the arguments that `results` and the effects depend on. Whether there are new ones among them.
  static bool need_what_is_read(const Node& caller, const FunctionBody& body,
                                const std::vector<Endpoint>& results, std::vector<bool>& is_needed) {
    const StepGraph graph =
        prune({.feeds = body.args, .fetches = results, .targets = effects_of(caller, body)});
    const std::vector<bool> is_read = read_values(graph);
    bool is_new = false;
    for (size_t i = 0; i < is_needed.size(); ++i) {
      if (is_needed[i] || !is_read[graph.feeds[i]]) continue;
      is_needed[i] = true;
      is_new = true;
    }
    return is_new;
  }

  StepGraph (*const structured_)(StepGraph);
};

}  // namespace

bool calls_functions(const StepGraph& step) {
  return std::ranges::any_of(step.nodes,
                             [](const StepNode& item) { return role_of(item) != CallRole::kNone; });
}

StepGraph call_functions(const StepGraph& flat, std::span<Node* const> targets,
                         StepGraph (*structured)(StepGraph)) {
  CallDepth depth;
  FunctionBodies& bodies = FunctionBodies::of(flat.nodes.front().node->graph());
  return NestedCalls(bodies, depth, structured).expand(flat, targets).graph;
}

}  // namespace flowray::engine
