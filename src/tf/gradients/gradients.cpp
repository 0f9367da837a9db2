#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/gradients.h>

#include "graph/gradient_context.h"
#include "graph/gradient_overrides.h"
#include "ops/python_nodes/indexed_slices.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/apply_op.h"
#include "tf/build/eager_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/gradients/call_gradients.h"
#include "tf/gradients/defined_function.h"
#include "tf/gradients/flow_gradients.h"
#include "tf/gradients/registered_gradients.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace flowray::tf {
namespace {

using graph::Endpoint;
using graph::Node;

/// Whether there is a gradient to start from: a tensor that stands for None has none.
bool is_given(const OptionalInput& grad) {
  return grad.has_value() && (grad->tensor() == nullptr || grad->tensor()->has_value());
}

/// Whether ones stand for the gradient of `y`. From integers and bools nothing flows on.
void check_starts(const Endpoint& y) {
  const DType dtype = base_dtype(y.dtype());
  if (is_complex(dtype)) {
    throw TypeError(
        fmt::format("Gradients of complex tensors ({}) must set grad_ys (y.dtype = {})\nPass "
                    "GradientsOptions::grad_ys, the gradient to start from.",
                    tensor_text(y), dtype_name(dtype)));
  }
  if (dtype == DType::kString) {
    throw TypeError(fmt::format(
        "Expected string, but got 1 of type 'int'.\n{} is text, which has no gradient.", y.name()));
  }
}

/// The name by which a node's gradient is looked up: its op, or what it names in its place.
const std::string& gradient_name(const Node& node) {
  const graph::AttrValue* const named = node.attrs().find(graph::kGradientOp);
  const auto* const name = named == nullptr ? nullptr : named->get_if<std::string>();
  return name == nullptr ? node.op() : *name;
}

[[noreturn]] void throw_no_gradient(const Node& node) {
  const std::string& name = gradient_name(node);
  const std::string advice =
      name == node.op()
          ? "Use tf::stop_gradient on its inputs if none is meant to flow."
          : fmt::format("It is to have the gradient '{}', which nobody has registered: tf::RegisterGradient.",
                        name);
  throw KeyError(
      fmt::format("No gradient defined for operation'{}' (op type: {}). In general every operation must "
                  "have an associated `@tf.RegisterGradient` for correct autodiff, which this op is "
                  "lacking.\n{}{}",
                  node.name(), node.op(), advice, graph::made_at(node)));
}

/// While it lives, new nodes are colocated with one node and nothing else.
class OnlyBeside {
 public:
  OnlyBeside(graph::Graph& graph, const Node& node) : graph_(graph) {
    colocation_.swap(graph_.scopes().colocation);
    beside_.emplace(&graph_, colocation_groups(node));
  }
  OnlyBeside(const OnlyBeside&) = delete;
  OnlyBeside& operator=(const OnlyBeside&) = delete;
  ~OnlyBeside() {
    beside_.reset();
    colocation_.swap(graph_.scopes().colocation);
  }

 private:
  graph::Graph& graph_;
  std::vector<std::vector<std::string>> colocation_;
  std::optional<ColocationGuard> beside_;
};

/// Reverse accumulation over one graph. Nodes are visited, and their gradients' nodes made, in the order in
/// which TensorFlow's Python does it, so that names agree.
class GradientBuilder {
 public:
  GradientBuilder(graph::Graph& graph, const GradientsOptions& options)
      : graph_(graph), builder_(graph), options_(options), flow_(graph) {}

  std::vector<Endpoint> build(const std::vector<Endpoint>& ys, const std::vector<Endpoint>& xs) {
    for (const Tensor& stop : options_.stop_gradients) stop_gradients_.insert(stop.node());
    const std::vector<Endpoint> initial = initial_gradients(ys);
    count_pending(ys, xs);
    for (size_t i = 0; i < ys.size(); ++i) set_gradient(ys[i], initial[i]);
    std::set<Node*> queued;
    for (const Endpoint& y : ys) {
      const bool ready = between_.contains(y.node) && pending_[y.node] == 0;
      if (ready && queued.insert(y.node).second) queue_.push_back(y.node);
    }
    if (flow_.has_loops()) enter_unused_exits(queued);
    find_stops(xs);
    while (!queue_.empty()) {
      Node* node = queue_.front();
      queue_.pop_front();
      visit(*node);
    }
    flow_.finish();
    std::vector<Endpoint> result;
    for (const Endpoint& x : xs) result.push_back(gradient_of(x));
    return result;
  }

 private:
  std::vector<Endpoint> initial_gradients(const std::vector<Endpoint>& ys) {
    std::vector<Endpoint> given(ys.size());
    for (size_t i = 0; i < options_.grad_ys.size(); ++i) {
      if (is_given(options_.grad_ys[i])) {
        given[i] =
            convert_to_endpoint(graph_, *options_.grad_ys[i], DType::kInvalid, fmt::format("grad_y_{}", i));
      }
    }
    std::vector<Endpoint> result;
    for (size_t i = 0; i < ys.size(); ++i) {
      const std::optional<ColocationGuard> colocated = colocate(*ys[i].node);
      if (given[i]) {
        result.push_back(builder_.op("Identity", {given[i]}, {}, fmt::format("grad_ys_{}", i)));
        continue;
      }
      check_starts(ys[i]);
      const Endpoint shape = ops::python_shape(builder_, ys[i], "Shape");
      const graph::NameScope scope(graph_, fmt::format("grad_ys_{}", i));
      const Endpoint one = builder_.constant(Array(1.0).astype(base_dtype(ys[i].dtype())));
      result.push_back(builder_.op("Fill", {shape, one}, {}, scope.path()));
    }
    return result;
  }

  /// How many nodes between the ys and the xs read each node's outputs: its gradient is complete when all
  /// are visited.
  void count_pending(const std::vector<Endpoint>& ys, const std::vector<Endpoint>& xs) {
    const std::set<const Node*> reached = reached_from(xs);
    std::deque<Node*> open;
    for (const Endpoint& y : ys) open.push_back(y.node);
    std::vector<Node*> between;
    while (!open.empty()) {
      Node* node = open.front();
      open.pop_front();
      if (!reached.contains(node) || !between_.insert(node).second) continue;
      between.push_back(node);
      for (const Endpoint& input : node->inputs()) open.push_back(input.node);
    }
    flow_.add_loops(between, between_, [this](const Node& node) { return colocate(node); });
    for (const Node* node : between) {
      for (const Endpoint& input : node->inputs()) {
        if (between_.contains(input.node)) ++pending_[input.node];
      }
    }
  }

  /// Everything that depends on an x through differentiable values.
  std::set<const Node*> reached_from(const std::vector<Endpoint>& xs) const {
    std::map<const Node*, std::vector<const Node*>> readers;
    for (const Node* node : graph_.nodes()) {
      for (const Endpoint& input : node->inputs()) {
        if (is_differentiable(input.dtype())) readers[input.node].push_back(node);
      }
    }
    std::set<const Node*> reached;
    std::vector<const Node*> open;
    for (const Endpoint& x : xs) open.push_back(x.node);
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (!reached.insert(node).second) continue;
      const auto found = readers.find(node);
      if (found != readers.end()) open.insert(open.end(), found->second.begin(), found->second.end());
    }
    return reached;
  }

  /// Nodes at which differentiation ends: xs none of whose inputs lies on the way to another x.
  void find_stops(const std::vector<Endpoint>& xs) {
    for (const Endpoint& x : xs) {
      bool stops = true;
      for (const Endpoint& input : x.node->inputs()) {
        const auto found = pending_.find(input.node);
        if (found != pending_.end() && found->second > 0) stops = false;
      }
      if (stops) stop_nodes_.insert(x.node);
    }
    stop_nodes_.insert(stop_gradients_.begin(), stop_gradients_.end());
  }

  void visit(Node& node) {
    {
      const std::optional<ColocationGuard> colocated = colocate(node);
      {
        const InsideOf loop(flow_.loop_for(node, /*of_outputs=*/true));
        aggregate(node);
      }
      const std::vector<Endpoint> grads = aggregated_of(node);
      const bool any =
          std::any_of(grads.begin(), grads.end(), [](const Endpoint& grad) { return bool(grad); });
      const InsideOf loop(flow_.loop_for(node, /*of_outputs=*/false));
      if (any && !stop_nodes_.contains(&node)) hand_down(node, differentiate(node));
    }
    for (const Endpoint& input : node.inputs()) count_down(input);
  }

  void hand_down(const Node& node, const std::vector<Endpoint>& in_grads) {
    for (size_t i = 0; i < in_grads.size(); ++i) {
      const Endpoint input = node.inputs()[i];
      if (!in_grads[i]) continue;
      if (input.dtype() != DType::kResource) check_shape(node, i, in_grads[i]);
      set_gradient(input, in_grads[i]);
    }
  }

  /// A gradient has the shape of what it is the gradient of.
  static void check_shape(const Node& node, size_t i, Endpoint grad) {
    const Shape& wanted = node.inputs()[i].shape();
    if (!grad.shape().is_compatible_with(wanted)) {
      throw ValueError(fmt::format(
          "Incompatible shapes between op input and calculated input gradient. Forward "
          "operation: {}. Input index: {}. Original input shape: {}. Calculated input gradient "
          "shape: {}{}",
          node.name(), i, wanted.to_tuple_string(), grad.shape().to_tuple_string(), graph::made_at(node)));
    }
    grad.node->merge_output_shape(grad.index, wanted);
  }

  /// One reader less to come for what gives `value`. A loop's Switch is ready for its Exit and once more for
  /// the loop's body.
  void count_down(const Endpoint& value) {
    Node& node = *value.node;
    const int left = --pending_[&node];
    const bool ready = left == 0 || (left > 0 && flow_.has_loops() && is_loop_switch(node));
    if (!ready) return;
    if (has_role(node, graph::FlowRole::kExit)) {
      defer_exit(value);
    } else {
      queue_.push_back(&node);
    }
  }

  // ---- exits of loops: a gradient's loop is entered by all at once

  void enter_unused_exits(const std::set<Node*>& queued) {
    std::vector<Endpoint> entering;
    for (const auto& loop : flow_.loops()) {
      for (const Endpoint& exit : loop->exits) {
        if (pending_[exit.node] != 0) continue;
        --loop->pending_exits;
        if (!queued.contains(exit.node)) loop->unused_exits.push_back(exit);
        if (loop->pending_exits != 0) continue;
        entering.insert(entering.end(), loop->unused_exits.begin(), loop->unused_exits.end());
      }
      for (const Endpoint& enter : loop->forward_loop().enters()) {
        if (pending_[enter.node] == 0) pending_[enter.node] = 1;
      }
    }
    for (const Endpoint& exit : entering) {
      if (!is_differentiable(exit.dtype())) continue;
      set_gradient(exit, flow_.zeros_for_exit(exit));
      queue_.push_back(exit.node);
    }
  }

  void defer_exit(Endpoint exit) {
    LoopGradient& loop = *flow_.of(*exit.node, /*of_outputs=*/false);
    loop.deferred_exits.push_back(exit);
    if (--loop.pending_exits != 0) return;
    bool any = false;
    for (const Endpoint& deferred : loop.deferred_exits) {
      if (has_gradient(deferred.node)) {
        any = true;
        queue_.push_back(deferred.node);
      } else {
        loop.unused_exits.push_back(deferred);
      }
    }
    for (const Endpoint& unused : loop.unused_exits) {
      if (any && is_differentiable(unused.dtype())) set_gradient(unused, flow_.zeros_for_exit(unused));
      queue_.push_back(unused.node);
    }
  }

  // ---- one node

  /// The op whose gradient the node has: its own, or the one that it names. Null: no such op.
  const graph::OpSchema* schema_of_gradient(const Node& node) const {
    const std::string& name = gradient_name(node);
    if (name == node.op()) return &node.schema();
    const graph::OpSchema* const schema = graph_.ops().find(name);
    const bool is_known =
        schema != nullptr && (schema->row.gradient != nullptr || schema->row.not_differentiable);
    return is_known ? schema : nullptr;
  }

  /// By a function of the program's, where one is registered for it; else as its op says.
  std::vector<Endpoint> differentiate(Node& node) {
    const RegisteredGradient* const registered = registered_gradient(gradient_name(node));
    const GradientFunction function =
        registered == nullptr ? gradient_of_defined_function(node) : registered->function;
    if (registered == nullptr && function == nullptr) return differentiate_by_op(node);
    if (function == nullptr || node.num_inputs() == 0) return std::vector<Endpoint>(node.inputs().size());
    fill_in_zeros(node);
    const std::vector<Endpoint> out_grads = aggregated_of(node);
    const graph::NameScope scope(graph_, node.name() + "_grad");
    return gated(call_gradient_function(function, node, out_grads));
  }

  std::vector<Endpoint> differentiate_by_op(Node& node) {
    const bool is_flow = node.schema().row.flow != graph::FlowRole::kNone;
    const graph::OpSchema* const differentiated = is_flow ? &node.schema() : schema_of_gradient(node);
    const bool is_own = differentiated == &node.schema();
    if (is_own && is_named_call(node)) {
      fill_in_zeros(node, /*all=*/true);
      const std::vector<Endpoint> out_grads = aggregated_of(node);
      const graph::NameScope scope(graph_, node.name() + "_grad");
      return gated(symbolic_gradient(node, out_grads));
    }
    if (calls_function(node) && (is_own || (differentiated == nullptr && calls_one_function(node)))) {
      const graph::NameScope scope(graph_, node.name() + "_grad");
      return gated(call_gradient(node, aggregated_of(node)));
    }
    static constexpr graph::OpRow kUnknown = {};
    const graph::OpRow& row = differentiated == nullptr ? kUnknown : differentiated->row;
    if (row.gradient == nullptr && !is_flow) {
      if (row.not_differentiable) return std::vector<Endpoint>(node.inputs().size());
      throw_no_gradient(node);
    }
    fill_in_zeros(node);
    const std::vector<Endpoint> out_grads = aggregated_of(node);
    const graph::NameScope scope(graph_, node.name() + "_grad");
    graph::GradientContext context(node, out_grads);
    std::vector<Endpoint> in_grads = is_flow ? flow_.differentiate(node, out_grads) : row.gradient(context);
    if (in_grads.size() != node.inputs().size()) {
      throw errors::InternalError(fmt::format("The gradient of '{}' gave {} gradients for {} inputs",
                                              node.op(), in_grads.size(), node.inputs().size()));
    }
    return gated(std::move(in_grads));
  }

  /// For outputs that nothing depends on, but could; or for all others.
  void fill_in_zeros(Node& node, bool all = false) {
    Gradients& gradients = gradients_[&node];
    for (int i = 0; i < node.num_outputs(); ++i) {
      std::vector<Endpoint>& list = gradients.of_outputs[static_cast<size_t>(i)];
      if (!list.empty() || (!all && !is_differentiable(node.output_dtype(i)))) continue;
      if (const Endpoint zeros = flow_.zeros_like(node, i)) list = {zeros};
    }
  }

  std::vector<Endpoint> gated(std::vector<Endpoint> grads) {
    if (!options_.gate_gradients) return grads;
    const auto count =
        std::count_if(grads.begin(), grads.end(), [](const Endpoint& grad) { return bool(grad); });
    if (count <= 1) return grads;
    std::vector<Tensor> tensors;
    for (const Endpoint& grad : grads) tensors.push_back(grad ? tensor_of(grad) : Tensor());
    const std::vector<Tensor> gated = tuple(tensors);
    for (size_t i = 0; i < grads.size(); ++i) {
      if (grads[i]) grads[i] = endpoint_of(gated[i]);
    }
    return grads;
  }

  void set_gradient(Endpoint of, Endpoint grad) {
    Gradients& gradients = gradients_of(*of.node);
    std::vector<Endpoint>& list = gradients.of_outputs[static_cast<size_t>(of.index)];
    if (gradients.are_aggregated) list.clear();  // a loop's Switch, the second time
    list.push_back(grad);
  }

  bool has_gradient(const Node* node) const {
    const auto found = gradients_.find(node);
    return found != gradients_.end() &&
           std::any_of(found->second.of_outputs.begin(), found->second.of_outputs.end(),
                       [](const auto& list) { return !list.empty(); });
  }

  /// Makes one gradient of those of each output, by adding them.
  void aggregate(Node& node) {
    Gradients& gradients = gradients_of(node);
    for (std::vector<Endpoint>& list : gradients.of_outputs) {
      if (list.size() >= 2) list = {sum_of(node, list)};
    }
    gradients.are_aggregated = true;
  }

  Endpoint sum_of(const Node& node, const std::vector<Endpoint>& list) {
    const bool has_slices =
        std::ranges::any_of(list, [](const Endpoint& grad) { return !ops::slices_of(grad).empty(); });
    if (has_slices) {
      const OnlyBeside beside(graph_, *list.front().node);
      return builder_.op("AddN", list);
    }
    if (options_.aggregation_method == AggregationMethod::ADD_N) return sum_by_device(list);
    const graph::NameScope scope(graph_, node.name() + "_gradient_sum");
    Endpoint sum = list.front();
    for (size_t i = 1; i < list.size(); ++i) sum = builder_.op("AddN", {sum, list[i]});
    return sum;
  }

  /// Adds the tensors of each device there, and then the sums.
  Endpoint sum_by_device(const std::vector<Endpoint>& list) {
    std::map<std::string, std::vector<Endpoint>> by_device;
    for (const Endpoint& grad : list) by_device[grad.node->device()].push_back(grad);
    std::vector<Endpoint> sums;
    for (const auto& [device, some] : by_device) {
      const OnlyBeside beside(graph_, *some.front().node);
      sums.push_back(some.size() == 1 ? some.front() : builder_.op("AddN", some));
    }
    return sums.size() == 1 ? sums.front() : builder_.op("AddN", sums);
  }

  std::vector<Endpoint> aggregated_of(const Node& node) const {
    std::vector<Endpoint> result;
    for (const std::vector<Endpoint>& list : gradients_.at(&node).of_outputs) {
      result.push_back(list.empty() ? Endpoint{} : list.front());
    }
    return result;
  }

  Endpoint gradient_of(Endpoint x) {
    const auto found = gradients_.find(x.node);
    if (found == gradients_.end()) return {};
    const auto& list = found->second.of_outputs[static_cast<size_t>(x.index)];
    return list.empty() ? Endpoint{} : list.front();
  }

  std::optional<ColocationGuard> colocate(const Node& node) const {
    if (!options_.colocate_gradients_with_ops) return std::nullopt;
    return std::optional<ColocationGuard>(std::in_place, &graph_, colocation_groups(node));
  }

  /// The gradients of each output of a node, before they are aggregated all that have come; afterwards one
  /// or none.
  struct Gradients {
    std::vector<std::vector<Endpoint>> of_outputs;
    bool are_aggregated = false;
  };

  Gradients& gradients_of(const Node& node) {
    Gradients& gradients = gradients_[&node];
    gradients.of_outputs.resize(static_cast<size_t>(node.num_outputs()));
    return gradients;
  }

  graph::Graph& graph_;
  graph::Builder builder_;
  const GradientsOptions& options_;
  FlowGradients flow_;
  std::set<Node*> stop_gradients_;
  std::set<const Node*> between_;
  std::map<const Node*, int> pending_;
  std::set<Node*> stop_nodes_;
  std::deque<Node*> queue_;
  std::map<const Node*, Gradients> gradients_;
};

void check_arguments(const std::vector<Tensor>& ys, const std::vector<GradientTarget>& xs,
                     const GradientsOptions& options) {
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size()) {
    throw ValueError(
        fmt::format("Length mismatch. Passed {} grad_ys for {} ys", options.grad_ys.size(), ys.size()));
  }
  check_all_set(ys, "ys");
  for (size_t i = 0; i < xs.size(); ++i) (void)node_of_either(xs[i].tensor(), element_name("xs", i));
  check_all_set(options.stop_gradients, "stop_gradients");
  const graph::Graph* graph = &ys.front().node()->graph();
  const auto check = [&](const Tensor& tensor) {
    if (&tensor.node()->graph() != graph) {
      throw ValueError(
          fmt::format("{} must be from the same graph as {}.", tensor_text(tensor), tensor_text(ys.front())));
    }
  };
  for (const Tensor& y : ys) check(y);
  for (const GradientTarget& x : xs) check(x.tensor());
  for (size_t i = 0; i < options.grad_ys.size(); ++i) {
    const OptionalInput& grad = options.grad_ys[i];
    if (!is_given(grad)) continue;
    check_set(grad, element_name("grad_ys", i));
    if (grad->tensor() != nullptr) check(*grad->tensor());
  }
  if (options.aggregation_method < AggregationMethod::ADD_N ||
      options.aggregation_method > AggregationMethod::EXPERIMENTAL_ACCUMULATE_N) {
    throw ValueError(fmt::format("Invalid `aggregation_method` specified {}. Accepted values are [0, 1, 2].",
                                 static_cast<int>(options.aggregation_method)));
  }
  if (options.unconnected_gradients != "none" && options.unconnected_gradients != "zero") {
    throw ValueError(fmt::format("Unknown value for unconnected_gradients: '{}'\nIt is \"none\" or \"zero\".",
                                 options.unconnected_gradients));
  }
}

/// Where the graph uses variables of eager execution: its own nodes for them.
std::vector<GradientTarget> in_graph_of(const List<Tensor>& ys, const List<GradientTarget>& xs) {
  std::vector<GradientTarget> targets(xs.begin(), xs.end());
  if (!ys.front().has_value()) return targets;
  graph::Graph& graph = ys.front().node()->graph();
  if (lifted_variables(graph).to == nullptr) return targets;
  for (GradientTarget& target : targets) {
    if (target.tensor().has_value() && state_of_eager_variable(*target.tensor().node()) != nullptr)
      target = GradientTarget(tensor_of(reference_in(graph, target.tensor())));
  }
  return targets;
}

}  // namespace

std::vector<Tensor> gradients(const List<Tensor>& ys, const List<GradientTarget>& given_xs,
                              const GradientsOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (default_graph().is_eager()) {
    throw RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.");
  }
  if (ys.empty()) return std::vector<Tensor>(given_xs.size());  // nothing depends on any x
  const std::vector<GradientTarget> xs = in_graph_of(ys, given_xs);
  check_arguments(ys, xs, options);
  graph::Graph& graph = ys.front().node()->graph();
  const UserLine line(graph, where);
  std::vector<Endpoint> y_endpoints;
  std::vector<Endpoint> x_endpoints;
  for (const Tensor& y : ys) y_endpoints.push_back(endpoint_of(y));
  for (const GradientTarget& x : xs) x_endpoints.push_back(endpoint_of(x.tensor()));
  std::vector<Tensor> result;
  {
    const graph::NameScope scope(graph, options.name);
    for (const Endpoint& grad : GradientBuilder(graph, options).build(y_endpoints, x_endpoints)) {
      result.push_back(grad ? tensor_of(grad) : Tensor());
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (!result[i].has_value() && options.unconnected_gradients == "zero")
      result[i] = zeros_like(xs[i].tensor());
  }
  return result;
}

}  // namespace flowray::tf
