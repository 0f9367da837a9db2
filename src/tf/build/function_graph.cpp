#include "tf/build/function_graph.h"

#include "graph/exchange/function_library.h"
#include "graph/value_node.h"
#include "tf/build/tensor_text.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <atomic>

namespace flowray::tf {
namespace {

/// The bodies that this thread is building, as a chain.
FunctionGraph*& innermost() {
  static thread_local FunctionGraph* function = nullptr;
  return function;
}

std::atomic<bool>& body_mark(graph::Graph& graph) {
  return graph.attachment<std::atomic<bool>>("function_body");
}

}  // namespace

std::string FunctionGraph::advice_for(const graph::Node& node) {
  if (!body_mark(node.graph())) return {};
  return fmt::format(
      "\n'{}' was made in a function of a dataset, such as map's, and has a value inside of that function "
      "only: let the function return it.{}",
      node.name(), graph::made_at(node));
}

FunctionGraph::FunctionGraph(graph::Graph& outer)
    : outer_(outer), around_(innermost()), in_body_(body_.get()) {
  graph::FunctionLibrary::of(graph()).share(graph::FunctionLibrary::of(outer));
  if (outer.seed() >= 0) graph().set_seed(outer.seed());
  graph().scopes().line = outer.scopes().line;
  graph::Captures::set(graph(), this);
  body_mark(graph()) = true;
  innermost() = this;
}

FunctionGraph::~FunctionGraph() {
  graph::Captures::set(graph(), nullptr);
  innermost() = around_;
}

FunctionGraph* FunctionGraph::current() {
  FunctionGraph* const function = innermost();
  return function != nullptr && &function->graph() == &default_graph() ? function : nullptr;
}

graph::Graph& FunctionGraph::program_graph() {
  const FunctionGraph* function = current();
  if (function == nullptr) return default_graph();
  while (function->around_ != nullptr && &function->outer_ == &function->around_->graph())
    function = function->around_;
  return function->outer_;
}

graph::Graph& FunctionGraph::graph_for(graph::Graph& own) {
  const FunctionGraph* const function = current();
  return function == nullptr ? own : function->graph();
}

graph::Node* FunctionGraph::placeholder(DType dtype, const TensorShape& shape, std::string_view name) {
  return graph().add({.op = "Placeholder", .name = name, .attrs = {{"dtype", dtype}, {"shape", shape}}});
}

Tensor FunctionGraph::add_arg(DType dtype, const TensorShape& shape) {
  if (!captured_.empty())
    throw errors::InternalError("an argument of a function is added after what it captures");
  graph::Node* const node = placeholder(dtype, shape, fmt::format("args_{}", args_.size()));
  args_.push_back(node->output(0));
  return {node, 0};
}

graph::Endpoint FunctionGraph::bring_in(graph::Endpoint value) {
  return &value.node->graph() == &graph() ? value : stand_in(value);
}

namespace {

/// For what a body captures: neither in the scopes that the body is in at this point nor in its branches and
/// loops, wherever in them it is first used.
graph::Scopes outside_of_all() {
  graph::Scopes scopes;
  scopes.control.push_back({.nodes = {}, .clears = true, .made_inside = {}});
  return scopes;
}

}  // namespace

graph::Endpoint FunctionGraph::stand_in(graph::Endpoint outside) {
  if (outside.node->is_value() && !outer_.is_eager() && !is_ref(outside.dtype())) {
    const graph::Scopes inside = std::exchange(graph().scopes(), outside_of_all());
    const Array& value = graph::value_node(outside).value(outside.index);
    const graph::Endpoint constant = graph().add_constant(value, "Const")->output(0);
    graph().scopes() = inside;
    return constant;
  }
  if (&outside.node->graph() != &outer_) {
    // A value from further out: the function around captures it, too. Between the two may be other branches
    // of one conditional, whose bodies are all open.
    FunctionGraph* around = around_;
    while (around != nullptr && &around->graph() != &outer_) around = around->around_;
    if (around == nullptr) {
      throw ValueError(fmt::format(
          "{} must be from the same graph as the function that uses it.\nA function takes tensors of the "
          "graph that it is made in, and of no other one.",
          tensor_text(outside)));
    }
    outside = around->stand_in(outside);
  }
  graph::Endpoint& found = stand_ins_[{outside.node, outside.index}];
  if (found) return found;
  const graph::Scopes inside = std::exchange(graph().scopes(), outside_of_all());
  graph::Node* const node = placeholder(base_dtype(outside.dtype()), outside.shape(), outside.node->name());
  graph().scopes() = inside;
  args_.push_back(node->output(0));
  captured_.push_back(tensor_of(outside));
  found = node->output(0);
  return found;
}

graph::FunctionPart FunctionGraph::part_of(const std::string& name, std::vector<graph::Endpoint> results) {
  graph::FunctionPart part{.name = name};
  for (graph::Endpoint& result : results) {
    result = graph::Builder(graph()).op("Identity", {bring_in(result)});
  }
  graph::Captures::set(graph(), nullptr);
  for (const graph::Endpoint& arg : args_)
    part.args.push_back({.dtype = base_dtype(arg.dtype()), .value = arg});
  part.results = std::move(results);
  for (graph::Node* const node : graph().nodes()) {
    if (node->schema().row.stateful) part.effects.push_back(node);
  }
  return part;
}

std::string FunctionGraph::finish(const std::string& name, std::vector<graph::Endpoint> results,
                                  const std::function<bool(const std::string&)>& taken) {
  return graph::add_function(graph::FunctionLibrary::of(graph()), part_of(name, std::move(results)), taken);
}

void FunctionGraph::finish_as(const std::string& name, std::vector<graph::Endpoint> results,
                              std::vector<std::string> arg_names, std::vector<std::string> result_names) {
  graph::FunctionPart part = part_of(name, std::move(results));
  part.arg_names = std::move(arg_names);
  part.result_names = std::move(result_names);
  graph::add_named_function(graph::FunctionLibrary::of(graph()), part);
}

std::string FunctionGraph::finish_for(const std::string& name, std::vector<graph::Endpoint> results,
                                      const std::vector<graph::Endpoint>& outside) {
  for (const graph::Endpoint& value : outside) (void)bring_in(value);
  graph::FunctionPart part = part_of(name, std::move(results));
  part.args.clear();
  for (const graph::Endpoint& value : outside)
    part.args.push_back(
        {.dtype = base_dtype(value.dtype()), .value = stand_ins_.at({value.node, value.index})});
  return graph::add_function(graph::FunctionLibrary::of(graph()), part);
}

graph::AttrValue functions_attr(const std::vector<std::string>& names) {
  wire::AttrValue::ListValue list;
  for (const std::string& name : names) list.func.emplace_back().name = name;
  wire::AttrValue message;
  message.value.emplace<wire::AttrValue::kList>(std::move(list));
  return graph::OpaqueAttr{wire::encode(message)};
}

graph::AttrValue function_attr(const std::string& name) {
  wire::NameAttrList function;
  function.name = name;
  wire::AttrValue message;
  message.value.emplace<wire::AttrValue::kFunc>(std::move(function));
  return graph::OpaqueAttr{wire::encode(message)};
}

}  // namespace flowray::tf
