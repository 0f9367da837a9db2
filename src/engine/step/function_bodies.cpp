#include "engine/step/function_bodies.h"

#include "graph/exchange/attr_message.h"
#include "graph/exchange/node_links.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

namespace flowray::engine {
namespace {

using graph::ArgFacts;
using graph::Endpoint;
using graph::Node;

using Attr = wire::AttrValue;

/// The attribute that names function `number` of a node that calls some.
std::string_view function_attr(CallRole role, size_t number) {
  switch (role) {
    case CallRole::kCall:
      return "f";
    case CallRole::kIf:
      return number == 0 ? "else_branch" : "then_branch";
    case CallRole::kWhile:
      return number == 0 ? "cond" : "body";
    case CallRole::kCase:
      return "branches";
    case CallRole::kFunction:
    case CallRole::kNone:
      break;
  }
  throw errors::InternalError("This op names no functions");
}

/// Borrows from the node.
Attr function_message(const Node& caller, size_t number) {
  const std::string_view name = function_attr(call_role(caller.schema()), number);
  const auto& opaque = caller.attrs().get<graph::OpaqueAttr>(name);
  return wire::decode<Attr>(opaque.message);
}

/// What a SymbolicGradient runs is the function's gradient and not the function.
wire::NameAttrList gradient_function_of(const Node& caller, wire::NameAttrList function) {
  const graph::AttrValue* const gradient = caller.attrs().find(graph::kGradientFunction);
  const auto* const name = gradient == nullptr ? nullptr : gradient->get_if<std::string>();
  if (name == nullptr) {
    throw errors::UnimplementedError(fmt::format(
        "'{}' is the gradient of the function {}, which is in no library of the graph: only graphs that "
        "Flowray's tf.gradients has made have it",
        caller.name(), function.name.view()));
  }
  function.name = wire::Text::borrow(*name);
  function.attr = {};
  return function;
}

wire::NameAttrList function_named(const Node& caller, size_t number) {
  const Attr attr = function_message(caller, number);
  if (caller.op() == "SymbolicGradient")
    return gradient_function_of(caller, *std::get<Attr::kFunc>(attr.value));
  if (attr.value.index() == Attr::kFunc) return *std::get<Attr::kFunc>(attr.value);
  const Attr::ListValue& list = *std::get<Attr::kList>(attr.value);
  return list.func.at(number);
}

/// The node that made a handle, behind all that only pass it on.
const graph::Attrs* maker_of(Endpoint handle) {
  while (handle.node->num_inputs() > 0 && base_dtype(handle.node->input(0).dtype()) == DType::kResource) {
    handle = handle.node->input(0);
  }
  return graph::handle_attrs(handle);
}

/// The shape that a variable of a loop has in all iterations: what the node declares. What is known of the
/// output besides is of the last value only.
Shape declared_shape(const Node& loop, int variable) {
  const graph::AttrValue* const attr = loop.attrs().find("output_shapes");
  const auto* const shapes = attr == nullptr ? nullptr : attr->get_if<std::vector<Shape>>();
  const bool is_there = shapes != nullptr && static_cast<int>(shapes->size()) == loop.num_outputs();
  return is_there ? (*shapes)[static_cast<size_t>(variable)] : Shape::unknown_rank();
}

std::vector<ArgFacts> facts_of_args(const Node& caller, int first_arg) {
  std::vector<ArgFacts> facts;
  const bool is_loop = call_role(caller.schema()) == CallRole::kWhile;
  for (int i = first_arg; i < caller.num_inputs(); ++i) {
    const Endpoint& input = caller.input(i);
    ArgFacts& fact = facts.emplace_back();
    if (base_dtype(input.dtype()) == DType::kResource) {
      fact.handle = maker_of(input);
    } else {
      fact.shape = is_loop ? declared_shape(caller, i) : input.shape();
    }
  }
  return facts;
}

}  // namespace

CallRole call_role(const graph::OpSchema& schema) {
  if (graph::is_function_call(schema)) return CallRole::kFunction;
  const graph::OpRow& row = schema.row;
  if (row.prepare != nullptr || row.compute != nullptr || row.start != nullptr || row.resource != nullptr) {
    return CallRole::kNone;
  }
  static constexpr std::pair<std::string_view, CallRole> kRoles[] = {{"f", CallRole::kCall},
                                                                     {"then_branch", CallRole::kIf},
                                                                     {"body", CallRole::kWhile},
                                                                     {"branches", CallRole::kCase}};
  for (const auto& [name, role] : kRoles) {
    const graph::AttrSchema* attr = schema.find_attr(name);
    if (attr != nullptr && attr->type == graph::AttrType::kFunction) return role;
  }
  return CallRole::kNone;
}

FunctionBodies& FunctionBodies::of(graph::Graph& graph) {
  auto& bodies = graph.attachment<FunctionBodies>("function_bodies");
  const MutexLock lock(bodies.mutex_);
  bodies.graph_ = &graph;
  return bodies;
}

std::vector<std::string> FunctionBodies::function_names(const Node& caller) {
  const CallRole role = call_role(caller.schema());
  if (role == CallRole::kNone) return {};
  if (role == CallRole::kIf || role == CallRole::kWhile)
    return {function_name(caller, 0), function_name(caller, 1)};
  if (role != CallRole::kCase) return {function_name(caller, 0)};
  std::vector<std::string> names;
  const Attr attr = function_message(caller, 0);
  if (attr.value.index() != Attr::kList || !std::get<Attr::kList>(attr.value)) return names;
  for (const wire::NameAttrList& function : std::get<Attr::kList>(attr.value)->func)
    names.push_back(function.name.str());
  return names;
}

std::string FunctionBodies::function_name(const Node& caller, size_t number) {
  if (call_role(caller.schema()) == CallRole::kFunction) return caller.op();
  return function_named(caller, number).name.str();
}

size_t FunctionBodies::count(const Node& caller) {
  const Attr attr = function_message(caller, 0);
  if (attr.value.index() != Attr::kList || !std::get<Attr::kList>(attr.value)) return 0;
  return std::get<Attr::kList>(attr.value)->func.size();
}

const graph::FunctionBody& FunctionBodies::body(Node& caller, size_t number, std::string_view role,
                                                int first_arg) {
  const MutexLock lock(mutex_);
  const auto known = bodies_.find({&caller, number});
  if (known != bodies_.end()) return known->second;
  const std::string prefix = role.empty() ? caller.name() : fmt::format("{}/{}", caller.name(), role);
  graph::FunctionBody made = new_body(caller, number, prefix, first_arg, graph::FunctionLibrary::of(*graph_));
  return bodies_.emplace(std::pair(&caller, number), std::move(made)).first->second;
}

graph::FunctionBody FunctionBodies::new_body(const Node& caller, size_t number, const std::string& prefix,
                                             int first_arg, const graph::FunctionLibrary& library) {
  graph::FunctionCall call;
  wire::NameAttrList named;
  if (call_role(caller.schema()) == CallRole::kFunction) {
    for (const auto& [key, value] : caller.attrs().items()) {
      call.attrs.add(wire::Text::borrow(key), graph::attr_to_message(value));
    }
  } else {
    named = function_named(caller, number);
    call.attrs = named.attr;
  }
  const std::string name = function_name(caller, number);
  call.function = library.find(name);
  if (call.function == nullptr) {
    throw errors::NotFoundError(fmt::format("Function {} is not defined.", name));
  }
  return graph::make_function_body(call, library, caller.graph().ops(), prefix,
                                   facts_of_args(caller, first_arg));
}

graph::Graph& FunctionBodies::helpers(const graph::Graph& like) {
  if (helpers_ == nullptr) helpers_.reset(new graph::Graph(like.ops()));
  return *helpers_;
}

Node* FunctionBodies::truth_of(const Endpoint& predicate) {
  const MutexLock lock(mutex_);
  Node*& truth = truths_[{predicate.node, predicate.index}];
  if (truth != nullptr) return truth;
  graph::Graph& graph = helpers(predicate.node->graph());
  // Not by the name of what it asks, which may begin as only the engine's names may.
  const std::string name = fmt::format("truth_{}/ToBool", truths_.size());
  Node* const arg = graph.add({.op = "_Arg",
                               .name = name + "/input",
                               .attrs = {{"T", base_dtype(predicate.dtype())}, {"index", int64_t{0}}}});
  truth = graph.add({.op = "ToBool", .name = name, .inputs = {arg->output(0)}});
  return truth;
}

std::pair<Node*, Node*> FunctionBodies::is_number(Node& caller, int32_t number) {
  const MutexLock lock(mutex_);
  auto& made = numbers_[{&caller, number}];
  if (made.first != nullptr) return made;
  graph::Graph& graph = helpers(caller.graph());
  const std::string name = fmt::format("{}/is_{}", caller.name(), number);
  Node* const arg = graph.add(
      {.op = "_Arg", .name = name + "/input", .attrs = {{"T", DType::kInt32}, {"index", int64_t{0}}}});
  Node* const constant = graph.add({.op = "Const",
                                    .name = name + "/number",
                                    .attrs = {{"value", Array(number)}, {"dtype", DType::kInt32}}});
  made = {constant,
          graph.add({.op = "Equal", .name = name, .inputs = {arg->output(0), constant->output(0)}})};
  return made;
}

}  // namespace flowray::engine
