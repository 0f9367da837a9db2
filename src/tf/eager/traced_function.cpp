#include "tf/eager/traced_function.h"

#include <flowray/tf/array.h>
#include <flowray/tf/eager.h>
#include <flowray/tf/gradients.h>

#include "graph/flow_context.h"
#include "graph/signature.h"
#include "tf/build/apply_op.h"
#include "tf/build/eager_variable.h"
#include "tf/eager/eager_runner.h"
#include "tf/eager/tape.h"
#include "tf/eager/tape_gradient.h"
#include "tf/gradients/body_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace flowray::tf::eagerly {
namespace {

using graph::Endpoint;
using graph::Node;

/// The variable that a reference comes from, handed on by what changes it.
const Node* variable_behind(Endpoint reference) {
  while (reference.node->num_inputs() > 0 && is_ref(reference.node->input(0).dtype()))
    reference = reference.node->input(0);
  return reference.node;
}

bool changes_state(const Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (is_ref(node.input(i).dtype()) && graph::takes_reference(node.schema(), node.attrs(), i)) return true;
  }
  const bool is_variable = node.num_inputs() == 0 && node.num_outputs() == 1 && is_ref(node.output_dtype(0));
  return node.schema().row.stateful && !is_variable;
}

/// Of what `wanted` are computed from, what nodes below the number `first_new` make, each once: without
/// constants, which a step has itself, references, and `fed`.
std::vector<Endpoint> taken_from_older(std::vector<Endpoint> wanted, int first_new,
                                       const std::vector<Endpoint>& fed) {
  std::set<const Node*> seen;
  for (const Endpoint& endpoint : fed) seen.insert(endpoint.node);
  std::vector<Endpoint> taken;
  while (!wanted.empty()) {
    const Endpoint endpoint = wanted.back();
    wanted.pop_back();
    if (seen.contains(endpoint.node)) continue;
    if (endpoint.node->id() >= first_new) {
      seen.insert(endpoint.node);
      for (const Endpoint& input : endpoint.node->inputs()) wanted.push_back(input);
    } else if (!endpoint.node->schema().row.is_constant && !is_ref(endpoint.dtype()) &&
               std::ranges::find(taken, endpoint) == taken.end()) {
      taken.push_back(endpoint);
    }
  }
  return taken;
}

}  // namespace

Graph graph_to_trace(bool is_first_trace) {
  const Graph graph;
  lifted_variables(*graph.get()) = {&eager_graph(), is_first_trace};
  if (eager_graph().seed() >= 0) graph.get()->set_seed(eager_graph().seed());
  return graph;
}

TracedFunction::TracedFunction(const Graph& graph, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& outputs)
    : graph_(graph) {
  for (const Tensor& input : inputs) inputs_.push_back(endpoint_of(input));
  const GraphScope scope = graph_.as_default();
  for (const Tensor& output : outputs)
    outputs_.push_back(convert_to_endpoint(*graph_.get(), Input(output, {}), DType::kInvalid, "output"));
  for (Endpoint& output : outputs_) {
    // An argument, a captured value or a variable cannot be fetched itself: an Identity of it is.
    output = graph::Builder(*graph_.get()).op("Identity", {output});
  }
  variables_ = eager_variables_in(*graph_.get());
  order_effects();
  step_ = std::make_unique<engine::Step>(
      eager_session(), engine::StepRequest{.feeds = inputs_, .fetches = outputs_, .targets = effects_});
}

/// Each use of a variable waits for the one before it, and so does all else that has effects.
void TracedFunction::order_effects() {
  graph::FlowContexts& contexts = graph::FlowContexts::of(*graph_.get());
  std::map<const Node*, Node*> last_use;
  Node* last_effect = nullptr;
  for (Node* node : graph_.get()->nodes()) {
    if (node->schema().row.flow != graph::FlowRole::kNone) has_flow_ = true;
    const bool is_effect = changes_state(*node);
    const bool is_inside = contexts.any() && contexts.of_node(*node) != nullptr;
    if (is_effect && !is_inside) effects_.push_back(node);
    if (is_inside) continue;  // the branch or loop around it orders it
    bool uses_variable = false;
    for (const Endpoint& input : node->inputs()) {
      if (!is_ref(input.dtype())) continue;
      uses_variable = true;
      Node*& last = last_use[variable_behind(input)];
      if (last != nullptr && last != node) node->add_control_input(last);
      last = node;
    }
    if (!is_effect || uses_variable) continue;
    if (last_effect != nullptr) node->add_control_input(last_effect);
    last_effect = node;
  }
}

bool TracedFunction::is_watched(const std::vector<Tensor>& arguments) const {
  const Recording& here = recording();
  if (here.tapes == 0) return false;
  for (const Tensor& argument : arguments) {
    if ((graph::value_node(endpoint_of(argument)).tapes() & here.tapes) != 0) return true;
  }
  return std::ranges::any_of(variables_, [&](const auto& variable) {
    const graph::ValueNode& node = graph::value_node(endpoint_of(variable.first));
    return (node.is_trainable() && here.variable_tapes != 0) || (node.tapes() & here.tapes) != 0;
  });
}

std::vector<Tensor> TracedFunction::call(const std::vector<Tensor>& arguments) {
  if (is_watched(arguments)) return call_recorded(arguments);
  std::vector<Array> values;
  values.reserve(arguments.size());
  for (const Tensor& argument : arguments) values.push_back(argument.value());
  std::vector<const Array*> fed;
  for (const Array& value : values) fed.push_back(&value);
  std::vector<Array> results(outputs_.size());
  run_unlocked([&] { step_->run(fed, results); });
  std::vector<Tensor> tensors;
  const graph::ValuePool::Call call;
  for (const Array& result : results)
    tensors.push_back(tensor_of(eager_graph().add_constant(result, "Const")->output(0)));
  return tensors;
}

std::vector<Tensor> TracedFunction::call_recorded(const std::vector<Tensor>& arguments) {
  Backward& back = backward();
  std::vector<Array> values;
  values.reserve(arguments.size());
  for (const Tensor& argument : arguments) values.push_back(argument.value());
  std::vector<const Array*> fed;
  for (const Array& value : values) fed.push_back(&value);
  std::vector<Array> results(outputs_.size() + back.captured.size());
  run_unlocked([&] { back.forward->run(fed, results); });
  std::vector<Array> captured(results.begin() + static_cast<ptrdiff_t>(outputs_.size()), results.end());
  if (has_flow_) captured = values;  // the gradients' step runs the function again
  const EagerScope at_once;
  std::vector<Tensor> arguments_and_variables = arguments;
  for (const auto& [outside, inside] : variables_) arguments_and_variables.push_back(outside);
  results.resize(outputs_.size());
  return add_recorded(results, arguments_and_variables,
                      [self = shared_from_this(), captured](const std::vector<Tensor>& outputs,
                                                            const std::vector<Tensor>& gradients_of_outputs) {
                        return self->gradients(captured, outputs, gradients_of_outputs);
                      });
}

TracedFunction::Backward& TracedFunction::backward() {
  if (backward_ != nullptr) return *backward_;
  auto made = std::make_unique<Backward>();
  const GraphScope scope = graph_.as_default();
  graph::Graph& graph = *graph_.get();
  std::vector<Tensor> ys;
  std::vector<GradientTarget> xs;
  GradientsOptions options;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!is_differentiable(outputs_[i].dtype())) continue;
    const Endpoint start = graph::Builder(graph).op(
        "Placeholder", {}, {{"dtype", outputs_[i].dtype()}, {"shape", outputs_[i].shape()}});
    made->numbers.push_back(i);
    made->start.push_back(start);
    ys.push_back(tensor_of(outputs_[i]));
    options.grad_ys.emplace_back(tensor_of(start));
  }
  for (const Endpoint& input : inputs_) xs.emplace_back(tensor_of(input));
  for (const auto& [outside, inside] : variables_) xs.emplace_back(tensor_of(inside));
  const int num_forward = graph.num_nodes();
  std::vector<Tensor> found(xs.size());
  if (!ys.empty()) found = tf::gradients(List<Tensor>(ys, {}), List<GradientTarget>(xs, {}), options, {});
  std::vector<Endpoint> open;
  for (const Tensor& gradient : found) {
    made->gradients.push_back(gradient.has_value() ? endpoint_of(gradient) : Endpoint());
    if (!gradient.has_value()) continue;
    open.push_back(endpoint_of(gradient));
    if (std::ranges::find(made->fetches, endpoint_of(gradient)) == made->fetches.end())
      made->fetches.push_back(endpoint_of(gradient));
  }
  if (!has_flow_) made->captured = taken_from_older(std::move(open), num_forward, made->start);
  std::vector<Endpoint> feeds = has_flow_ ? inputs_ : made->captured;
  feeds.insert(feeds.end(), made->start.begin(), made->start.end());
  std::vector<Endpoint> fetches = outputs_;
  fetches.insert(fetches.end(), made->captured.begin(), made->captured.end());
  made->forward = std::make_unique<engine::Step>(
      eager_session(), engine::StepRequest{.feeds = inputs_, .fetches = fetches, .targets = effects_});
  made->step = std::make_unique<engine::Step>(
      eager_session(), engine::StepRequest{.feeds = feeds, .fetches = made->fetches, .targets = {}});
  backward_ = std::move(made);
  return *backward_;
}

std::vector<Tensor> TracedFunction::gradients(const std::vector<Array>& captured,
                                              const std::vector<Tensor>& outputs,
                                              const std::vector<Tensor>& gradients_of_outputs) {
  Backward& back = backward();
  std::vector<Array> values = captured;
  for (size_t i = 0; i < back.numbers.size(); ++i) {
    const size_t number = back.numbers[i];
    const Tensor& gradient = gradients_of_outputs[number];
    const Array zeros(outputs_[number].dtype(), outputs[number].value().shape());
    values.push_back(gradient.has_value() ? gradient.value() : zeros);
  }
  std::vector<const Array*> fed;
  for (const Array& value : values) fed.push_back(&value);
  std::vector<Array> results(back.fetches.size());
  run_unlocked([&] { back.step->run(fed, results); });
  std::vector<Tensor> tensors;
  for (const Endpoint& gradient : back.gradients) {
    if (!gradient) {
      tensors.emplace_back();
      continue;
    }
    const auto found = std::ranges::find(back.fetches, gradient) - back.fetches.begin();
    tensors.push_back(
        tensor_of(eager_graph().add_constant(results[static_cast<size_t>(found)], "Const")->output(0)));
  }
  return tensors;
}

}  // namespace flowray::tf::eagerly
