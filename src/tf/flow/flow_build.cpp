#include "tf/flow/flow_build.h"

#include "graph/exchange/function_library.h"
#include "tf/build/apply_op.h"
#include "tf/flow/loop_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::tf {

using graph::Endpoint;
using graph::Node;

LoopContext* BuildContext::loop() { return static_cast<LoopContext*>(graph::loop_around(this)); }

void BuildContext::hand_out(const std::vector<Endpoint>& results) {
  if (outer_context() == nullptr) return;
  for (const Endpoint& result : results) outer_context()->know(result);
}

void BuildContext::enter() { contexts().enter(this, graph_.scopes()); }
void BuildContext::leave() { contexts().leave(); }

Endpoint BuildContext::stand_in(Endpoint value) const {
  const auto found = stand_ins_.find(value);
  return found == stand_ins_.end() ? value : found->second;
}

void BuildContext::bring_in_inputs(Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Endpoint value = node.input(i);
    const Endpoint real = bring_in(value);
    if (real == value) continue;
    node.close_loop(i, real);
    contexts().input_changed(node, i);
  }
}

void BuildContext::keep_inside(const Node& node) {
  if (outer() != nullptr || !has_role(node, graph::FlowRole::kExit)) {
    contexts().forbid_fetching(node);
    if (is_loop()) contexts().forbid_feeding(node);
  }
}

BuildContext* current_context(graph::Graph& graph) {
  return static_cast<BuildContext*>(graph::FlowContexts::of(graph).current(graph.scopes()));
}
BuildContext* context_of(const Node& node) {
  return static_cast<BuildContext*>(graph::FlowContexts::of(node.graph()).of_node(node));
}
BuildContext* output_context_of(const Node& node) {
  return static_cast<BuildContext*>(graph::FlowContexts::of(node.graph()).of_outputs(node));
}

// ---- branches

BranchContext::BranchContext(graph::Graph& graph, BuildContext* outer, Endpoint predicate, Endpoint pivot,
                             int branch)
    : BuildContext(graph, outer), predicate_(predicate), pivot_(pivot), branch_(branch) {
  graph.unique_name("cond_text");  // TensorFlow names its contexts in the same name space
  know(predicate);
  let_stand_in(predicate, predicate);
  know(pivot);
  contexts().set(*pivot.node, this);
}

/// Makes `value` known and gives what it is in the context around.
Endpoint BranchContext::from_around(Endpoint value) {
  know(value);
  if (outer_context() == nullptr) return value;
  const Endpoint result = outer_context()->bring_in(value);
  know(result);
  let_stand_in(result, result);
  return result;
}

/// What there is of it in this branch.
Endpoint BranchContext::switched(Endpoint value) {
  const auto [no, yes] = switch_beside(builder_, value, predicate_);
  return branch_ == 1 ? yes : no;
}

Endpoint BranchContext::bring_in(Endpoint value) {
  // In an imported loop the Merge comes before the NextIteration that it takes.
  if (knows(value) || context_of(*value.node) == this) return stand_in(value);
  Endpoint result = from_around(value);
  {
    const WithoutScopes free(graph_);
    result = switched(result);
  }
  contexts().set(*result.node, this);
  contexts().forbid_fetching(*result.node);
  for (BuildContext* context = this; context != nullptr; context = context->outer_context())
    context->know(result);
  let_stand_in(value, result);
  return result;
}

Endpoint BranchContext::result(Endpoint value) {
  if (knows(value)) return stand_in(value);
  const Endpoint real = switched(from_around(value));
  let_stand_in(value, real);
  return real;
}

void BranchContext::node_made(Node& node, const std::vector<Node*>&) {
  if (node.num_inputs() == 0) {
    bool waits_inside = false;
    for (const Node* control : node.control_inputs()) {
      waits_inside = waits_inside || graph::is_inside(contexts().of_node(*control), this);
    }
    if (!waits_inside) node.add_control_input(pivot_.node);
  } else {
    bring_in_inputs(node);
    if (graph::is_function_call(node.schema())) node.add_control_input(pivot_.node);
  }
  for (BuildContext* context = this; context != nullptr; context = context->outer_context()) {
    for (int i = 0; i < node.num_outputs(); ++i) context->know(node.output(i));
  }
  keep_inside(node);
}

// ---- nodes

namespace {

/// Colocation with one tensor's node alone.
class BesideOnly {
 public:
  explicit BesideOnly(const Node& node)
      : scopes_(node.graph().scopes()),
        outer_(std::exchange(scopes_.colocation, {colocation_groups(node)})) {}
  BesideOnly(const BesideOnly&) = delete;
  BesideOnly& operator=(const BesideOnly&) = delete;
  ~BesideOnly() { scopes_.colocation = std::move(outer_); }

 private:
  graph::Scopes& scopes_;
  std::vector<std::vector<std::string>> outer_;
};

}  // namespace

std::pair<Endpoint, Endpoint> switch_node(graph::Builder& builder, Endpoint data, Endpoint predicate,
                                          std::string_view name) {
  Node* const node = builder.node("Switch", {data, predicate}, {}, name);
  return {node->output(0), node->output(1)};
}

std::pair<Endpoint, Endpoint> switch_beside(graph::Builder& builder, Endpoint data, Endpoint predicate,
                                            std::string_view name) {
  const BesideOnly beside(*data.node);
  if (!is_ref(data.dtype())) return switch_node(builder, data, predicate, name);
  Node* const node = builder.node("RefSwitch", {data, predicate}, {}, name);
  return {node->output(0), node->output(1)};
}

Endpoint flow_node(graph::Builder& builder, std::string_view op, std::vector<Endpoint> inputs,
                   graph::Attrs attrs, std::string_view name) {
  const bool references =
      std::ranges::all_of(inputs, [](const Endpoint& input) { return is_ref(input.dtype()); });
  if (!references) return builder.op(op, std::move(inputs), std::move(attrs), name.empty() ? op : name);
  std::vector<std::string> groups;  // what takes a reference stands with its variable
  for (const Endpoint& input : inputs) {
    const std::vector<std::string> more = colocation_groups(*input.node);
    groups.insert(groups.end(), more.begin(), more.end());
  }
  const ColocationGuard beside(&builder.graph(), std::move(groups));
  return builder.op(fmt::format("Ref{}", op), std::move(inputs), std::move(attrs), name);
}

Endpoint merge_node(graph::Builder& builder, Endpoint a, Endpoint b, std::string_view name) {
  return flow_node(builder, "Merge", {a, b}, {}, name);
}

Endpoint pass_on(graph::Builder& builder, std::string_view op, Endpoint value, std::string_view name) {
  return flow_node(builder, op, {value}, {}, name);
}

}  // namespace flowray::tf
