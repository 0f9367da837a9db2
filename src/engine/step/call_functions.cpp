/// Calls of functions become what the functions do: a call's body takes its place, and If, While and Case get
/// their functions as graphs within the graph.
#include "core/stack_room.h"
#include "engine/step/function_bodies.h"
#include "engine/step/needed_nodes.h"
#include "engine/step/step_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace flowray::engine {
namespace {

using graph::Endpoint;
using graph::FunctionBody;
using graph::Node;

CallRole role_of(const StepNode& item) {
  return item.kind == StepKind::kOp ? call_role(item.node->schema()) : CallRole::kNone;
}

/// Flat as far as control flow is made of nodes; which nodes run even if their results are not read.
struct Expanded {
  StepGraph graph;
  std::vector<bool> is_root;
};

/// Whether anything in the graph reads `id`.
std::vector<bool> read_values(const StepGraph& graph) {
  std::vector<bool> is_read(graph.values.size(), false);
  for (const StepNode& item : graph.nodes) {
    for (const ValueId id : item.inputs) is_read[id] = true;
  }
  for (const ValueId id : graph.fetches) {
    if (id != kNoValue) is_read[id] = true;
  }
  return is_read;
}

constexpr size_t kMostNestedBodies = 500;

/// How deep branches and loops are within each other.
size_t nesting_of(const StepGraph& graph) {
  size_t deepest = 0;
  for (const StepNode& item : graph.nodes) {
    for (const StepGraph& body : item.bodies) deepest = std::max(deepest, 1 + nesting_of(body));
  }
  return deepest;
}

/// Whatever is done to a step goes into its branches and loops by calling itself.
void check_nesting(size_t nesting, const Node& caller) {
  if (nesting <= kMostNestedBodies) return;
  throw errors::ResourceExhaustedError(
      fmt::format("Branches and loops of functions are nested more than {} deep in {}\nA Case of N branches "
                  "counts as N - 1: one whose branches are Cases themselves is less deep.",
                  kMostNestedBodies, caller.name()));
}

/// What runs of a body whose results are not read. TensorFlow makes Switch and Merge of an If or While
/// that is marked so, and forgets what nothing waits for; where it calls the function, all that is
/// stateful runs.
const std::vector<Node*>& effects_of(const Node& caller, const FunctionBody& body) {
  const graph::AttrValue* lowered = caller.attrs().find("_lower_using_switch_merge");
  const bool* is_lowered = lowered == nullptr ? nullptr : lowered->get_if<bool>();
  return is_lowered != nullptr && *is_lowered ? body.control_outputs : body.effects;
}

/// The number of the argument that `result` only passes on; -1 for a value of its own.
int passed_on(const FunctionBody& body, Endpoint result) {
  while (result.node->num_inputs() == 1) {
    const graph::OpRow& row = result.node->schema().row;
    const bool is_same = row.view && !row.is_placeholder && row.flow == graph::FlowRole::kNone &&
                         result.node->num_outputs() == 1 && result.dtype() == result.node->input(0).dtype() &&
                         row.shape != nullptr && result.node->schema().attrs.size() == 1;
    if (!is_same) break;
    result = result.node->input(0);
  }
  const auto found = std::ranges::find(body.args, result);
  return found == body.args.end() ? -1 : static_cast<int>(found - body.args.begin());
}

/// How far the calls of a step go: a few small functions that call each other are a very large graph once
/// each stands where it is called.
class CallDepth {
 public:
  /// Each open function takes some of the stack.
  static constexpr size_t kMostOpen = 200;
  static constexpr size_t kMostNodes = 200'000;

  /// A function of so many nodes takes the place of a call inside of those that are open.
  void open(std::string name, size_t num_nodes) {
    if (open_.size() == kMostOpen) {
      throw errors::ResourceExhaustedError(
          fmt::format("Functions call each other more than {} deep: {} calls {}, and so on", kMostOpen,
                      open_.front(), open_.size() > 1 ? open_[1] : name));
    }
    check_stack_room("Functions");
    num_nodes_ += num_nodes;
    if (num_nodes_ > kMostNodes) {
      throw errors::ResourceExhaustedError(
          fmt::format("The functions that a step calls would be more than {} nodes, {} being the last\nEach "
                      "call is a copy "
                      "of the function: call a large one in a loop, or in fewer places.",
                      kMostNodes, name));
    }
    open_.push_back(std::move(name));
  }
  void close() { open_.pop_back(); }
  bool is_open(const std::string& name) const { return std::ranges::find(open_, name) != open_.end(); }

 private:
  std::vector<std::string> open_;  // those that the graph is the body of, from the outermost inwards
  size_t num_nodes_ = 0;
};

class Expander {
 public:
  Expander(FunctionBodies& bodies, CallDepth& depth, StepGraph (*structured)(StepGraph))
      : bodies_(bodies), depth_(depth), structured_(structured) {}

  /// `targets` run in any case.
  Expanded expand(const StepGraph& flat, std::span<Node* const> targets) {
    flat_ = &flat;
    out_.values = flat.values;
    out_.feeds = flat.feeds;
    out_.fetches = flat.fetches;
    is_read_ = read_values(flat);
    alias_.assign(flat.values.size(), kNoValue);
    after_.resize(flat.nodes.size());
    const std::unordered_set<const Node*> roots(targets.begin(), targets.end());
    for (place_ = 0; place_ < flat.nodes.size(); ++place_) {
      const StepNode& item = flat.nodes[place_];
      try {
        visit(item, roots.contains(item.node));
      } catch (const errors::OpError& error) {
        if (!error.node_name().empty() || role_of(item) == CallRole::kNone) throw;
        errors::throw_error(error.code(),
                            fmt::format("{}\n\t [[{{{{node {}}}}}]]", error.message(), item.node->name()),
                            item.node->name());
      }
    }
    finish();
    return {std::move(out_), std::move(is_root_)};
  }

 private:
  using Ids = std::vector<ValueId>;
  using Places = std::vector<uint32_t>;

  void visit(const StepNode& item, bool is_root) {
    switch (role_of(item)) {
      case CallRole::kNone:
        after_[place_] = {append(item, is_root)};
        break;
      case CallRole::kFunction:
      case CallRole::kCall:
        inline_call(item, 0, 0);
        break;
      case CallRole::kIf:
        after_[place_] = {append(make_if(item), is_root)};
        break;
      case CallRole::kWhile:
        after_[place_] = {append(make_while(item), is_root)};
        break;
      case CallRole::kCase:
        if (FunctionBodies::count(*item.node) == 1) {
          inline_call(item, 0, 1);
        } else {
          after_[place_] = {append(make_case(item), is_root)};
        }
        break;
    }
  }

  /// Takes a node whose inputs are of `flat_` or new, and whose controls are still places in `flat_`.
  uint32_t append(StepNode item, bool is_root) {
    item.controls = new_places(item.controls);
    return append_placed(std::move(item), is_root);
  }

  uint32_t append_placed(StepNode item, bool is_root) {
    const auto place = static_cast<uint32_t>(out_.nodes.size());
    for (const ValueId id : item.outputs) out_.values[id].producer = static_cast<int32_t>(place);
    out_.nodes.push_back(std::move(item));
    is_root_.push_back(is_root);
    return place;
  }

  Places new_places(const Places& old) const {
    Places places;
    for (const uint32_t place : old) places.insert(places.end(), after_[place].begin(), after_[place].end());
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  ValueId add_value(StepValue value) {
    out_.values.push_back(std::move(value));
    return static_cast<ValueId>(out_.values.size() - 1);
  }

  /// The node that gives one value of `inputs`, put into `graph`.
  static ValueId add_helper(StepGraph& graph, Node* node, Ids inputs) {
    const auto id = static_cast<ValueId>(graph.values.size());
    graph.values.push_back({node->output(0), static_cast<int32_t>(graph.nodes.size())});
    StepNode item;
    item.node = node;
    item.inputs = std::move(inputs);
    item.outputs = {id};
    graph.nodes.push_back(std::move(item));
    return id;
  }

  // ---- bodies

  const FunctionBody& open_body(const StepNode& item, size_t number, std::string_view role, int first_arg) {
    std::string name = FunctionBodies::function_name(*item.node, number);
    if (depth_.is_open(name)) {
      throw errors::UnimplementedError(
          fmt::format("Function {} calls itself, which this engine does not do", name));
    }
    const FunctionBody& body = bodies_.body(const_cast<Node&>(*item.node), number, role, first_arg);
    const size_t num_args = item.node->inputs().size() - static_cast<size_t>(first_arg);
    const size_t num_results = role == "cond" ? 1 : static_cast<size_t>(item.node->num_outputs());
    if (body.args.size() != num_args || body.results.size() != num_results) {
      throw errors::InvalidArgumentError(
          fmt::format("Function {} takes {} arguments and gives {} results, but {} and {} were expected",
                      name, body.args.size(), body.results.size(), num_args, num_results));
    }
    check_dtypes(*item.node, body, first_arg, role == "cond" ? 0 : num_results);
    depth_.open(std::move(name), static_cast<size_t>(body.graph->num_nodes()));
    return body;
  }
  void close_body() { depth_.close(); }

  static void check_dtypes(const Node& caller, const FunctionBody& body, int first_arg, size_t num_results) {
    for (size_t i = 0; i < body.args.size(); ++i) {
      const DType given = base_dtype(caller.input(first_arg + static_cast<int>(i)).dtype());
      const DType wanted = base_dtype(body.args[i].dtype());
      if (given == wanted) continue;
      throw errors::InvalidArgumentError(fmt::format("Expects arg[{}] to be {} but {} is provided", i,
                                                     dtype_kernel_name(wanted), dtype_kernel_name(given)));
    }
    for (size_t i = 0; i < num_results; ++i) {
      const DType told = base_dtype(caller.output_dtype(static_cast<int>(i)));
      const DType given = base_dtype(body.results[i].dtype());
      if (given == told) continue;
      throw errors::InternalError(fmt::format("Expect {}-th output is of type {} but get {}", i,
                                              dtype_kernel_name(told), dtype_kernel_name(given)));
    }
  }

  Expanded flat_body(const Node& caller, const FunctionBody& body, const std::vector<Endpoint>& args,
                     const std::vector<Endpoint>& results) {
    const std::vector<Node*>& effects = effects_of(caller, body);
    return Expander(bodies_, depth_, structured_)
        .expand(prune({.feeds = args, .fetches = results, .targets = effects}), effects);
  }

  /// The body as a graph of its own, which is fed all `args`.
  StepGraph nested_body(const Node& caller, const FunctionBody& body, const std::vector<Endpoint>& args,
                        const std::vector<Endpoint>& results) {
    StepGraph graph = structured_(flat_body(caller, body, args, results).graph);
    check_nesting(1 + nesting_of(graph), caller);
    return graph;
  }

  // ---- calls

  void inline_call(const StepNode& item, size_t number, int first_arg) {
    const FunctionBody& body = open_body(item, number, {}, first_arg);
    std::vector<Endpoint> results;
    Ids outputs;
    for (size_t i = 0; i < item.outputs.size(); ++i) {
      if (!is_read_[item.outputs[i]]) continue;
      results.push_back(body.results[i]);
      outputs.push_back(item.outputs[i]);
    }
    Expanded inner = flat_body(*item.node, body, body.args, results);
    close_body();
    Ids number_here(inner.graph.values.size(), kNoValue);
    for (size_t i = 0; i < inner.graph.feeds.size(); ++i) {
      number_here[inner.graph.feeds[i]] = item.inputs[i + static_cast<size_t>(first_arg)];
    }
    for (size_t id = 0; id < number_here.size(); ++id) {
      if (number_here[id] == kNoValue) number_here[id] = add_value(std::move(inner.graph.values[id]));
    }
    const Places ends = append_body(item, inner, number_here);
    for (size_t i = 0; i < outputs.size(); ++i) alias_of(outputs[i]) = number_here[inner.graph.fetches[i]];
    after_[place_] = ends.empty() ? starts_of(item, /*with_inputs=*/true) : ends;
  }

  /// Returns the nodes that a control edge from the call stands for.
  Places append_body(const StepNode& call, Expanded& inner, const Ids& number_here) {
    const auto base = static_cast<uint32_t>(out_.nodes.size());
    const Places starts = starts_of(call, false);
    const Places starts_and_inputs = starts_of(call, true);
    std::vector<bool> is_end = inner.is_root;
    for (const ValueId id : inner.graph.fetches) {
      const int32_t producer = inner.graph.values[id].producer;
      if (producer >= 0) is_end[static_cast<size_t>(producer)] = true;
    }
    Places ends;
    for (size_t i = 0; i < inner.graph.nodes.size(); ++i) {
      StepNode& node = inner.graph.nodes[i];
      const bool is_first = node.controls.empty() && std::ranges::all_of(node.inputs, [&](ValueId id) {
                              return inner.graph.values[id].producer < 0;
                            });
      for (ValueId& id : node.inputs) id = number_here[id];
      for (ValueId& id : node.outputs) id = number_here[id];
      for (uint32_t& control : node.controls) control += base;
      // What takes no value from anywhere waits for the arguments, so that it belongs to the branch or loop
      // of the call.
      if (is_first) node.controls = node.inputs.empty() ? starts_and_inputs : starts;
      const uint32_t place = append_placed(std::move(node), inner.is_root[i]);
      if (is_end[i]) ends.push_back(place);
    }
    return ends;
  }

  Places starts_of(const StepNode& call, bool with_inputs) const {
    Places before = call.controls;
    for (const ValueId id : call.inputs) {
      const int32_t producer = flat_->values[id].producer;
      if (with_inputs && producer >= 0) before.push_back(static_cast<uint32_t>(producer));
    }
    return new_places(before);
  }

  ValueId& alias_of(ValueId id) {
    if (alias_.size() < out_.values.size()) alias_.resize(out_.values.size(), kNoValue);
    return alias_[id];
  }

  ValueId resolve(ValueId id) const {
    while (id < alias_.size() && alias_[id] != kNoValue) id = alias_[id];
    return id;
  }

  // ---- If, Case, While

  /// The numbers of the outputs of `item` that are read.
  std::vector<size_t> read_outputs(const StepNode& item) const {
    std::vector<size_t> read;
    for (size_t i = 0; i < item.outputs.size(); ++i) {
      if (is_read_[item.outputs[i]]) read.push_back(i);
    }
    return read;
  }

  static std::vector<Endpoint> chosen(const std::vector<Endpoint>& all, const std::vector<size_t>& which) {
    std::vector<Endpoint> some;
    for (const size_t i : which) some.push_back(all[i]);
    return some;
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
    if (!is_truth(asked)) {
      made.inputs[0] = add_helper(out_, bodies_.truth_of(asked), {item.inputs[0]});
      is_root_.push_back(false);
    }
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
      const ValueId constant = add_helper(out_, number, {});
      // It waits for the index, so that it belongs to the same loop.
      if (const int32_t producer = out_.values[item.inputs[0]].producer; producer >= 0)
        out_.nodes.back().controls.push_back(static_cast<uint32_t>(producer));
      inputs.push_back(add_helper(out_, equal, {item.inputs[0], constant}));
      is_root_.insert(is_root_.end(), 2, false);
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
      graph.fetches[0] = add_helper(graph, bodies_.truth_of(condition.results[0]), {graph.fetches[0]});
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

  // ---- the end

  /// Gives all values their last names, and removes dead nodes.
  void finish() {
    for (StepNode& item : out_.nodes) {
      for (ValueId& id : item.inputs) id = resolve(id);
    }
    for (ValueId& id : out_.fetches) id = resolve(id);
    for (StepValue& value : out_.values) value.producer = -1;
    for (uint32_t i = 0; i < out_.nodes.size(); ++i) {
      for (const ValueId id : out_.nodes[i].outputs) out_.values[id].producer = static_cast<int32_t>(i);
    }
    // A fed value stays fed, whatever node produces one of its name.
    for (const ValueId id : out_.feeds) out_.values[id].producer = -1;
    keep_needed(out_, is_root_);
  }

  FunctionBodies& bodies_;
  CallDepth& depth_;
  StepGraph (*const structured_)(StepGraph);
  const StepGraph* flat_ = nullptr;
  size_t place_ = 0;
  StepGraph out_;
  std::vector<bool> is_root_;  // by node of out_
  std::vector<bool> is_read_;  // by value of flat_
  Ids alias_;                  // by value of out_: the one that it is another name of, or kNoValue
  std::vector<Places> after_;  // by node of flat_: what waits for it waits for these of out_
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
  return Expander(bodies, depth, structured).expand(flat, targets).graph;
}

}  // namespace flowray::engine
