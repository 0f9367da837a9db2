#include "engine/step/lower_calls.h"

#include "engine/step/call_expander.h"
#include "graph/device_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace flowray::engine {
namespace {

using graph::Attrs;
using graph::DeviceName;
using graph::Endpoint;
using graph::FunctionBody;
using graph::Node;

/// What a function's node asks for where its caller is on `outer`. What cannot be read is left for place() to
/// tell.
std::string filled_in(const std::string& wish, const std::string& outer) {
  if (wish.empty()) return outer;
  auto inner = DeviceName::parse(wish);
  const auto around = DeviceName::parse(outer);
  if (!inner || !around) return wish;
  inner->fill_in(*around);
  return inner->to_string();
}

/// The nodes that stand for control flow. They take arguments of which nothing is known but the dtype: what a
/// loop's variable holds may have another shape in each iteration.
class FlowNodes {
 public:
  explicit FlowNodes(const graph::OpTable& ops) : graph_(new graph::Graph(ops)) {}

  Node* add(const char* op, const std::string& name, const std::vector<DType>& inputs, Attrs attrs) {
    std::vector<Endpoint> given;
    for (const DType dtype : inputs) given.push_back(argument(dtype));
    return graph_->add({.op = op, .name = name, .inputs = std::move(given), .attrs = std::move(attrs)});
  }
  std::string new_name(const Node& caller, std::string_view what) {
    return fmt::format("{}/{}_{}", caller.name(), what, num_names_++);
  }
  auto take() { return std::move(graph_); }

 private:
  Endpoint argument(DType dtype) {
    const auto [found, is_new] = arguments_.try_emplace(dtype);
    if (is_new) {
      const auto number = static_cast<int64_t>(arguments_.size());
      found->second = graph_
                          ->add({.op = "_Arg",
                                 .name = fmt::format("argument_of_flow/{}", number),
                                 .attrs = {{"T", dtype}, {"index", number}}})
                          ->output(0);
    }
    return found->second;
  }

  std::unique_ptr<graph::Graph, FunctionBody::Release> graph_;
  std::map<DType, Endpoint> arguments_;
  int num_names_ = 0;
};

class LoweredCalls : public CallExpander {
 public:
  using IsLowered = std::function<bool(const Node& call, const std::string& device)>;

  LoweredCalls(FunctionBodies& bodies, CallDepth& depth, FlowNodes& flow, const IsLowered& is_lowered,
               std::vector<std::string> devices)
      : CallExpander(bodies, depth), flow_(flow), is_lowered_(is_lowered), wishes_(std::move(devices)) {}

  /// These values of the graph keep their names, as they are fetched.
  void keep_names_of(const std::vector<ValueId>& fetched) { named_ = {fetched.begin(), fetched.end()}; }

 private:
  /// A body in its place: what it gives, and its nodes that run whether or not that is read.
  struct Placed {
    Ids results;
    Places effects;
  };

  bool is_replaced(const StepNode& call) const override { return is_lowered_(*call.node, wishes_[place_]); }
  std::string device_here() const override { return wishes_[place_]; }

  Expanded expand_body(const StepGraph& flat, std::span<Node* const> effects) override {
    std::vector<std::string> devices;
    for (const StepNode& item : flat.nodes)
      devices.push_back(filled_in(item.node->device(), wishes_[place_]));
    return LoweredCalls(bodies_, depth_, flow_, is_lowered_, std::move(devices)).expand(flat, effects);
  }

  // ---- nodes

  /// Its outputs.
  Ids add_flow(const char* op, std::string_view what, const Ids& inputs, Attrs attrs, Places controls = {}) {
    std::vector<DType> dtypes;
    for (const ValueId id : inputs) dtypes.push_back(base_dtype(dtype_of(id)));
    const Node& caller = *flat_->nodes[place_].node;
    return add_node(flow_.add(op, flow_.new_name(caller, what), dtypes, std::move(attrs)), inputs,
                    std::move(controls));
  }

  Ids add_node(Node* node, const Ids& inputs, Places controls = {}) {
    StepNode item;
    item.node = node;
    item.inputs = inputs;
    item.controls = std::move(controls);
    for (int i = 0; i < node->num_outputs(); ++i) item.outputs.push_back(add_value({node->output(i)}));
    Ids outputs = item.outputs;
    append_placed(std::move(item), false, device_here());
    return outputs;
  }

  DType dtype_of(ValueId id) const { return out_.values[id].dtype(); }
  uint32_t maker_of(ValueId id) const { return static_cast<uint32_t>(out_.values[id].producer); }
  Attrs type_attr(ValueId id) const { return {{"T", base_dtype(dtype_of(id))}}; }

  ValueId identity(ValueId id, std::string_view what, Places controls = {}) {
    return add_flow("Identity", what, {id}, type_attr(id), std::move(controls))[0];
  }
  ValueId merge(ValueId first, ValueId second) {
    return add_flow("Merge", "merge", {first, second},
                    {{"T", base_dtype(dtype_of(first))}, {"N", int64_t{2}}})[0];
  }
  /// Where the predicate is false, and where it is true.
  std::pair<ValueId, ValueId> split(ValueId id, ValueId predicate, Places controls = {}) {
    const Ids both = add_flow("Switch", "switch", {id, predicate}, type_attr(id), std::move(controls));
    return {both[0], both[1]};
  }

  /// `value` of a body as a truth.
  ValueId truth_of(ValueId value, const Endpoint& endpoint) {
    if (endpoint.dtype() == DType::kBool && endpoint.shape().rank() == 0) return value;
    return add_flow("ToBool", "truth", {value}, type_attr(value))[0];
  }

  /// The body takes `args`; all of it waits for what makes `pivot`, which is dead where it is not to run.
  Placed place_body(const StepNode& item, size_t number, std::string_view role, int first_arg,
                    const std::vector<size_t>& wanted, const Ids& args, ValueId pivot) {
    const FunctionBody& body = open_body(item, number, role, first_arg);
    Expanded inner = flat_body(*item.node, body, body.args, chosen(body.results, wanted));
    close_body();
    const Ids number_here = numbers_here(inner.graph, args);
    const auto base = static_cast<uint32_t>(out_.nodes.size());
    append_body(inner, number_here, {maker_of(pivot)}, {maker_of(pivot)});
    Placed placed;
    for (const ValueId id : inner.graph.fetches) placed.results.push_back(number_here[id]);
    for (uint32_t i = 0; i < inner.is_root.size(); ++i) {
      if (inner.is_root[i]) placed.effects.push_back(base + i);
    }
    return placed;
  }

  /// What the call gives now comes from here, and what waits for it waits for these as well.
  void end_call(const StepNode& item, const std::vector<size_t>& wanted, const Ids& results, Places after) {
    give_outputs(item, wanted, results);
    for (const ValueId id : results) {
      if (out_.values[id].producer >= 0) after.push_back(maker_of(id));
    }
    after_[place_] = std::move(after);
  }

  void give_outputs(const StepNode& item, const std::vector<size_t>& which, const Ids& results) override {
    CallExpander::give_outputs(item, which, results);
    for (size_t i = 0; i < which.size(); ++i) {
      const ValueId given = item.outputs[which[i]];
      if (!named_.contains(given)) continue;
      StepNode named;
      named.node = flow_.add("Identity", flow_.new_name(*item.node, "result"),
                             {base_dtype(dtype_of(results[i]))}, type_attr(results[i]));
      named.inputs = {results[i]};
      named.outputs = {given};
      append_placed(std::move(named), false, device_here());
      alias_of(given) = kNoValue;
    }
  }

  // ---- If and Case

  using Branch = std::function<Placed(const Ids& args, ValueId pivot)>;

  /// Either branch. The one effect of the whole comes after those of the branch that runs.
  Placed choose(ValueId predicate, const Ids& args, const Places& before, const Branch& otherwise,
                const Branch& then) {
    const auto [no, yes] = split(predicate, predicate, before);
    const ValueId pivots[] = {identity(no, "pivot_f"), identity(yes, "pivot_t")};
    Ids args_of[2];
    for (const ValueId arg : args) {
      const auto [if_not, if_so] = split(arg, predicate);
      args_of[0].push_back(if_not);
      args_of[1].push_back(if_so);
    }
    const Placed placed[] = {otherwise(args_of[0], pivots[0]), then(args_of[1], pivots[1])};
    Placed made;
    for (size_t i = 0; i < placed[0].results.size(); ++i)
      made.results.push_back(merge(placed[0].results[i], placed[1].results[i]));
    const ValueId ran = merge(identity(pivots[0], "ran_f", placed[0].effects),
                              identity(pivots[1], "ran_t", placed[1].effects));
    made.effects.push_back(maker_of(ran));
    return made;
  }

  Branch branch(const StepNode& item, size_t number, std::string role, const std::vector<size_t>& wanted) {
    return [this, &item, number, role = std::move(role), &wanted](const Ids& args, ValueId pivot) {
      return place_body(item, number, role, 1, wanted, args, pivot);
    };
  }

  static Ids arguments(const StepNode& item) { return {item.inputs.begin() + 1, item.inputs.end()}; }

  void end_choice(const StepNode& item, const std::vector<size_t>& wanted, Placed made, bool is_root) {
    if (is_root) is_root_[made.effects[0]] = true;
    end_call(item, wanted, made.results, std::move(made.effects));
  }

  void replace_if(const StepNode& item, bool is_root) override {
    const std::vector<size_t> wanted = read_outputs(item);
    const ValueId predicate = truth_of(item.inputs[0], item.node->input(0));
    end_choice(item, wanted,
               choose(predicate, arguments(item), starts_of(item, false), branch(item, 0, "else", wanted),
                      branch(item, 1, "then", wanted)),
               is_root);
  }

  /// Is it 0, is it 1, ...; any other number takes the last branch.
  void replace_case(const StepNode& item, bool is_root) override {
    const std::vector<size_t> wanted = read_outputs(item);
    const size_t count = FunctionBodies::count(*item.node);
    if (count == 0) throw errors::InvalidArgumentError("A Case needs a branch at least, and has none");
    check_nesting(count - 1, *item.node);
    const std::function<Placed(size_t, ValueId, const Ids&, const Places&)> from =
        [&](size_t number, ValueId index, const Ids& args, const Places& before) {
          const auto [constant, equal] =
              bodies_.is_number(const_cast<Node&>(*item.node), static_cast<int32_t>(number));
          const ValueId wanted_number = add_node(constant, {}, before)[0];
          const ValueId is_it = add_node(equal, {index, wanted_number})[0];
          Ids all = {index};  // a branch that asks on needs it as well
          all.insert(all.end(), args.begin(), args.end());
          const auto without_index = [](const Ids& ids) { return Ids(ids.begin() + 1, ids.end()); };
          const auto one = [&](size_t i) {
            return [&, i](const Ids& ids, ValueId pivot) {
              return place_body(item, i, fmt::format("branch_{}", i), 1, wanted, without_index(ids), pivot);
            };
          };
          const Branch rest = [&](const Ids& ids, ValueId pivot) {
            return from(number + 1, ids[0], without_index(ids), {maker_of(pivot)});
          };
          return choose(is_it, all, before, number + 2 == count ? Branch(one(number + 1)) : rest,
                        one(number));
        };
    end_choice(item, wanted, from(0, item.inputs[0], arguments(item), starts_of(item, true)), is_root);
  }

  // ---- While

  /// A variable of a loop: where it enters, and its value in each iteration.
  struct Variable {
    ValueId merged = kNoValue;
    ValueId next = kNoValue;  // of the next iteration
    ValueId in_body = kNoValue;
    ValueId at_end = kNoValue;
  };

  ValueId enter(const StepNode& item, const std::string& frame, ValueId id, bool is_constant, Places before) {
    const graph::AttrValue* given = item.node->attrs().find("parallel_iterations");
    const int64_t* parallel = given == nullptr ? nullptr : given->get_if<int64_t>();
    return add_flow("Enter", "enter", {id},
                    {{"T", base_dtype(dtype_of(id))},
                     {"frame_name", frame},
                     {"is_constant", is_constant},
                     {"parallel_iterations", parallel == nullptr ? int64_t{10} : *parallel}},
                    std::move(before))[0];
  }

  /// What the loop changes: all but what its body gives back as it got it. A loop of nothing else has a
  /// number that nobody reads.
  std::vector<bool> changed_by(const StepNode& item) {
    const FunctionBody& body = open_body(item, 1, "body", 0);
    close_body();
    std::vector<bool> changed(body.args.size());
    for (size_t i = 0; i < changed.size(); ++i)
      changed[i] = passed_on(body, body.results[i]) != static_cast<int>(i);
    return changed;
  }

  Variable begin_variable(const StepNode& item, const std::string& frame, ValueId first,
                          const Places& before) {
    const ValueId entered = enter(item, frame, first, false, before);
    Variable variable;
    variable.next = add_value({});
    StepNode merged;
    const DType dtype = dtype_of(entered);
    Node* const node = flow_.add("Merge", flow_.new_name(*item.node, "merge"), {dtype, dtype},
                                 {{"T", dtype}, {"N", int64_t{2}}});
    merged.node = node;
    merged.inputs = {entered, variable.next};
    for (int i = 0; i < 2; ++i) merged.outputs.push_back(add_value({node->output(i)}));
    variable.merged = merged.outputs[0];
    append_placed(std::move(merged), false, device_here());
    return variable;
  }

  void close_variable(const StepNode& item, const Variable& variable, ValueId result, const Places& effects) {
    const DType dtype = base_dtype(dtype_of(result));
    Node* const node =
        flow_.add("NextIteration", flow_.new_name(*item.node, "next"), {dtype}, {{"T", dtype}});
    StepNode next;
    next.node = node;
    next.inputs = {result};
    next.controls = effects;
    next.outputs = {variable.next};
    out_.values[variable.next].endpoint = node->output(0);
    append_placed(std::move(next), false, device_here());
  }

  void replace_while(const StepNode& item, bool is_root) override {
    const Places before = starts_of(item, false);
    const std::string frame = flow_.new_name(*item.node, "frame");
    const std::vector<bool> changed = changed_by(item);
    const size_t count = changed.size();
    std::vector<Variable> variables(count);
    Ids in_condition;
    Variable* pivot = nullptr;
    for (size_t i = 0; i < count; ++i) {
      if (changed[i]) {
        variables[i] = begin_variable(item, frame, item.inputs[i], before);
        if (pivot == nullptr) pivot = &variables[i];
      }
      in_condition.push_back(changed[i] ? variables[i].merged
                                        : enter(item, frame, item.inputs[i], true, before));
    }
    Variable counted;
    if (pivot == nullptr) {
      const Ids start =
          add_node(bodies_.is_number(const_cast<Node&>(*item.node), 0).first, {}, starts_of(item, true));
      counted = begin_variable(item, frame, start[0], before);
      pivot = &counted;
    }
    const Placed asked = place_body(item, 0, "cond", 0, {0}, in_condition, pivot->merged);
    const Endpoint predicate = out_.values[asked.results[0]].endpoint;
    const ValueId goes_on =
        add_flow("LoopCond", "condition", {truth_of(asked.results[0], predicate)}, {}, asked.effects)[0];
    const auto go_on = [&](Variable& variable) {
      std::tie(variable.at_end, variable.in_body) = split(variable.merged, goes_on);
    };
    Ids in_body = in_condition;
    for (size_t i = 0; i < count; ++i) {
      if (!changed[i]) continue;
      go_on(variables[i]);
      in_body[i] = variables[i].in_body;
    }
    if (pivot == &counted) go_on(counted);
    std::vector<size_t> results;
    for (size_t i = 0; i < count; ++i) {
      if (changed[i]) results.push_back(i);
    }
    const Placed body = place_body(item, 1, "body", 0, results, in_body, identity(pivot->in_body, "pivot"));
    for (size_t i = 0; i < results.size(); ++i)
      close_variable(item, variables[results[i]], body.results[i], body.effects);
    if (pivot == &counted) close_variable(item, counted, identity(counted.in_body, "same"), body.effects);
    end_loop(item, changed, variables, *pivot, is_root);
  }

  void end_loop(const StepNode& item, const std::vector<bool>& changed,
                const std::vector<Variable>& variables, const Variable& pivot, bool is_root) {
    const auto leave = [&](const Variable& variable) {
      return add_flow("Exit", "exit", {variable.at_end}, type_attr(variable.at_end))[0];
    };
    const ValueId ended = leave(pivot);
    if (is_root) is_root_[maker_of(ended)] = true;
    const std::vector<size_t> wanted = read_outputs(item);
    Ids results;
    for (const size_t i : wanted) {
      const bool is_pivot = &variables[i] == &pivot;
      const ValueId last = is_pivot ? ended : changed[i] ? leave(variables[i]) : item.inputs[i];
      results.push_back(last);
    }
    end_call(item, wanted, results, {maker_of(ended)});
  }

  FlowNodes& flow_;
  const IsLowered& is_lowered_;
  const std::vector<std::string> wishes_;  // by node of flat_
  std::unordered_set<ValueId> named_;
};

/// A graph may have nodes whose names begin with a call's.
void check_names(const StepGraph& graph) {
  std::unordered_set<std::string_view> names;
  for (const StepNode& item : graph.nodes) {
    if (names.insert(item.node->name()).second) continue;
    throw errors::InvalidArgumentError(
        fmt::format(
            "A node of the graph and one of a function that it calls are both named {}\nThe function is "
            "put in the place of its call, as its nodes are on several tasks: rename the node.",
            item.node->name()),
        item.node->name());
  }
}

}  // namespace

LoweredStep lower_calls(const StepGraph& flat, std::vector<std::string> devices,
                        std::span<Node* const> targets,
                        const std::function<bool(const Node& call, const std::string& device)>& is_lowered) {
  graph::Graph& whole = flat.nodes.front().node->graph();
  CallDepth depth;
  FlowNodes flow(whole.ops());
  LoweredCalls lowered(FunctionBodies::of(whole), depth, flow, is_lowered, std::move(devices));
  lowered.keep_names_of(flat.fetches);
  Expanded made = lowered.expand(flat, targets);
  check_names(made.graph);
  return {std::move(made.graph), std::move(made.devices), flow.take()};
}

}  // namespace flowray::engine
