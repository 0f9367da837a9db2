#include "tf/gradients/body_gradient.h"

#include <flowray/tf/gradients.h>

#include "engine/step/extended_calls.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/apply_op.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {

using graph::Endpoint;
using graph::FunctionPart;
using graph::Node;

namespace {

constexpr const char* kPrefix = "body";

}  // namespace

bool is_differentiable(DType dtype) {
  const DType base = base_dtype(dtype);
  return is_floating(base) || is_complex(base) || base == DType::kResource || base == DType::kVariant;
}

Endpoint zeros_like_value(graph::Builder& builder, Endpoint value) {
  if (base_dtype(value.dtype()) == DType::kVariant) return builder.op("ZerosLike", {value}, {}, "zeros_like");
  return ops::python_zeros_like(builder, value);
}

// ---- ExtendedCalls

ExtendedCalls& ExtendedCalls::of(graph::Graph& graph) {
  return graph.attachment<ExtendedCalls>("extended_calls");
}

/// Not only gradients add extensions: imported graphs bring theirs.
void ExtendedCalls::look_at_new_nodes(const graph::Graph& graph) {
  if (static_cast<size_t>(graph.num_nodes()) == num_seen_) return;
  const std::vector<Node*> nodes = graph.nodes();
  for (; num_seen_ < nodes.size(); ++num_seen_) {
    const std::vector<Node*> calls = engine::extended_calls(*nodes[num_seen_]);
    for (const Node* const call : calls) {
      Extension& last = last_[call];
      if (calls.size() >= last.num_calls) last = {nodes[num_seen_], calls.size()};
    }
  }
}

Node& ExtendedCalls::last(Node& call) {
  const RecursiveLock lock(mutex_);
  look_at_new_nodes(call.graph());
  const auto found = last_.find(&call);
  return found == last_.end() ? call : *found->second.node;
}

void ExtendedCalls::add_node(const Node& node) {
  const RecursiveLock lock(mutex_);
  nodes_.insert(&node);
}

bool ExtendedCalls::has_node(const Node& node) {
  const RecursiveLock lock(mutex_);
  return nodes_.contains(&node);
}

// ---- BodyGradient

BodyGradient::BodyGradient(Node& caller, size_t number, int first_arg)
    : body_(engine::FunctionBodies::new_body(caller, number, kPrefix, first_arg,
                                             graph::FunctionLibrary::of(caller.graph()))) {
  graph::FunctionLibrary::of(graph()).share(graph::FunctionLibrary::of(caller.graph()));
  seeds_.resize(body_.results.size());
  gradients_.resize(body_.args.size());
  first_of_gradient_ = graph().num_nodes();
}

std::vector<bool> BodyGradient::args_behind(size_t i) const {
  std::vector<bool> found(body_.args.size(), false);
  std::set<const Node*> seen;
  std::vector<Endpoint> open = {body_.results[i]};
  while (!open.empty()) {
    const Endpoint value = open.back();
    open.pop_back();
    if (!is_differentiable(value.dtype())) continue;
    const auto arg = std::ranges::find(body_.args, value);
    if (arg != body_.args.end()) found[static_cast<size_t>(arg - body_.args.begin())] = true;
    if (!seen.insert(value.node).second) continue;
    open.insert(open.end(), value.node->inputs().begin(), value.node->inputs().end());
  }
  return found;
}

void BodyGradient::differentiate(const std::vector<DType>& seeds) {
  std::vector<Tensor> ys;
  GradientsOptions options;
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (seeds[i] == DType::kInvalid) continue;
    const Endpoint result = body_.results[i];
    if (!seeds_[i]) {
      const bool is_handle = base_dtype(result.dtype()) == DType::kResource;
      seeds_[i] = new_arg(seeds[i], is_handle ? Shape::unknown_rank() : result.shape());
    }
    ys.push_back(tensor_of(result));
    options.grad_ys.emplace_back(tensor_of(seeds_[i]));
  }
  std::vector<GradientTarget> xs;
  std::vector<size_t> of_args;
  for (size_t i = 0; i < body_.args.size(); ++i) {
    if (!is_differentiable(body_.args[i].dtype())) continue;
    xs.emplace_back(tensor_of(body_.args[i]));
    of_args.push_back(i);
  }
  if (ys.empty() || xs.empty()) return;
  const std::vector<Tensor> found = gradients(ys, xs, options);
  for (size_t i = 0; i < found.size(); ++i) {
    gradients_[of_args[i]] = found[i].has_value() ? endpoint_of(found[i]) : Endpoint{};
  }
}

void BodyGradient::fill_in_zeros(size_t i, DType dtype) {
  if (gradients_[i]) return;
  graph::Builder builder(graph());
  const Endpoint arg = body_.args[i];
  if (base_dtype(arg.dtype()) == DType::kResource) {
    const Endpoint shape = builder.op("VariableShape", {arg});
    gradients_[i] = builder.op("Fill", {shape, builder.constant(Array(0).astype(dtype))}, {}, "zeros_like");
  } else {
    gradients_[i] = zeros_like_value(builder, arg);
  }
}

Endpoint BodyGradient::new_arg(DType dtype, const Shape& shape) {
  Node* const arg = graph().add(
      {.op = "_Arg", .name = "arg", .attrs = {{"T", dtype}, {"index", int64_t{graph().num_nodes()}}}});
  arg->merge_output_shape(0, shape);
  return arg->output(0);
}

/// The body as it was, and what gradients inside of it have added to calls.
bool BodyGradient::is_of_function(const Node& node) const {
  if (node.id() < first_of_gradient_) return true;
  return ExtendedCalls::of(graph()).has_node(node);
}

bool BodyGradient::is_made_again(const Node& node) const { return node.schema().row.is_constant; }

/// Shapes of the function's values are kept rather than the values.
bool BodyGradient::is_known_shape(const Node& node) const {
  return node.schema().row.reads_shapes_only && node.num_inputs() == 1 &&
         is_of_function(*node.input(0).node) && !is_made_again(*node.input(0).node) &&
         node.input(0).node->op() != "_Arg" && is_integer(node.output_dtype(0));
}

std::vector<Endpoint> BodyGradient::reads_of(const std::vector<Endpoint>& ends) {
  std::set<Endpoint, EndpointOrder> reads;
  std::set<const Node*> seen;
  std::vector<Endpoint> open;
  const std::set<const Node*> given = [&] {
    std::set<const Node*> nodes;
    for (const Endpoint& seed : seeds_) nodes.insert(seed.node);
    return nodes;
  }();
  for (const Endpoint& end : ends) {
    if (end) open.push_back(end);
  }
  while (!open.empty()) {
    const Endpoint value = open.back();
    open.pop_back();
    const Node& node = *value.node;
    if (given.contains(&node)) continue;
    if (is_known_shape(node)) shapes_.insert(&node);
    if ((is_of_function(node) || shapes_.contains(&node)) && !is_made_again(node)) {
      reads.insert(value);
      continue;
    }
    if (!seen.insert(&node).second) continue;
    open.insert(open.end(), node.inputs().begin(), node.inputs().end());
  }
  return {reads.begin(), reads.end()};
}

// ---- functions

std::string BodyGradient::add_forward_function(const std::string& name, std::vector<FunctionPart::Arg> args,
                                               std::vector<Endpoint> results) {
  ExtendedCalls& extended = ExtendedCalls::of(graph());
  return graph::add_function(
      graph::FunctionLibrary::of(graph()),
      {.name = name,
       .args = std::move(args),
       .results = std::move(results),
       .effects = body_.effects,
       .control_outputs = body_.control_outputs,
       .source = [&](Endpoint value) { return Endpoint{&extended.last(*value.node), value.index}; },
       .control = [&](Node* node) { return &extended.last(*node); },
       .prefix = fmt::format("{}/", kPrefix)});
}

std::string BodyGradient::add_whole_gradient_function(const std::string& name,
                                                      std::vector<FunctionPart::Arg> args,
                                                      std::vector<Endpoint> results) {
  ExtendedCalls& extended = ExtendedCalls::of(graph());
  return graph::add_function(
      graph::FunctionLibrary::of(graph()),
      {.name = name,
       .args = std::move(args),
       .results = std::move(results),
       .source = [&](Endpoint value) { return Endpoint{&extended.last(*value.node), value.index}; },
       .control = [&](Node* node) { return &extended.last(*node); },
       .prefix = fmt::format("{}/", kPrefix)});
}

std::string BodyGradient::add_gradient_function(const std::string& name, std::vector<FunctionPart::Arg> args,
                                                std::vector<Endpoint> results,
                                                const std::map<Endpoint, Endpoint, EndpointOrder>& sources) {
  return graph::add_function(graph::FunctionLibrary::of(graph()),
                             {.name = name,
                              .args = std::move(args),
                              .results = std::move(results),
                              .source =
                                  [&](Endpoint value) {
                                    const auto found = sources.find(value);
                                    return found == sources.end() ? value : found->second;
                                  },
                              // The function has run when its gradient begins.
                              .control = [&](Node* node) { return is_of_function(*node) ? nullptr : node; }});
}

}  // namespace flowray::tf
