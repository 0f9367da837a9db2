#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/gradients.h>

#include "graph/gradient_context.h"
#include "ops/python_nodes.h"
#include "tf/apply_op.h"
#include "tf/tensor_text.h"

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

bool is_differentiable(DType dtype) {
  const DType base = base_dtype(dtype);
  return is_floating(base) || is_complex(base) || base == DType::kResource || base == DType::kVariant;
}

/// Whether there is a gradient to start from: a tensor that stands for none is none.
bool is_given(const OptionalInput& grad) { return grad && (grad->tensor() == nullptr || *grad->tensor()); }

/// Reverse accumulation over one graph. Nodes are visited, and their gradients' nodes made, in the order in
/// which TensorFlow's Python does it, so that names agree.
class GradientBuilder {
 public:
  GradientBuilder(graph::Graph& graph, const GradientsOptions& options)
      : graph_(graph), builder_(graph), options_(options) {}

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
    find_stops(xs);
    while (!queue_.empty()) {
      Node* node = queue_.front();
      queue_.pop_front();
      visit(*node);
    }
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
      if (!is_differentiable(ys[i].dtype())) {
        throw TypeError(fmt::format("Gradients of tensor {} must be floating or complex, but its dtype is {}",
                                    ys[i].name(), dtype_name(ys[i].dtype())));
      }
      const Endpoint shape = ops::python_shape(builder_, ys[i], "Shape");
      const graph::NameScope scope(graph_, fmt::format("grad_ys_{}", i));
      const Endpoint one = builder_.constant(Array(1.0).astype(base_dtype(ys[i].dtype())));
      result.push_back(builder_.op("Fill", {shape, one}, {}, scope.path()));
    }
    return result;
  }

  /// How many nodes between the ys and the xs read each node's outputs: its gradient is complete when all are
  /// visited.
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
    std::vector<Endpoint> in_grads(node.inputs().size());
    {
      const std::optional<ColocationGuard> colocated = colocate(node);
      std::vector<Endpoint> out_grads = aggregate(node);
      const bool any =
          std::any_of(out_grads.begin(), out_grads.end(), [](const Endpoint& grad) { return bool(grad); });
      if (any && !stop_nodes_.contains(&node)) in_grads = differentiate(node, std::move(out_grads));
    }
    for (size_t i = 0; i < in_grads.size(); ++i) {
      const Endpoint input = node.inputs()[i];
      if (!in_grads[i]) continue;
      if (input.dtype() != DType::kResource)
        in_grads[i].node->merge_output_shape(in_grads[i].index, input.shape());
      set_gradient(input, in_grads[i]);
    }
    for (const Endpoint& input : node.inputs()) {
      const auto found = pending_.find(input.node);
      if (found != pending_.end() && --found->second == 0) queue_.push_back(input.node);
    }
  }

  std::vector<Endpoint> differentiate(Node& node, std::vector<Endpoint> out_grads) {
    const graph::OpRow& row = node.schema().row;
    if (row.gradient == nullptr) {
      if (row.not_differentiable) return std::vector<Endpoint>(node.inputs().size());
      throw KeyError(
          fmt::format("No gradient defined for operation'{}' (op type: {}). In general every operation must "
                      "have an associated `@tf.RegisterGradient` for correct autodiff, which this op is "
                      "lacking.\nUse tf::stop_gradient on its inputs if none is meant to flow.",
                      node.name(), node.op()));
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      Endpoint& grad = out_grads[static_cast<size_t>(i)];
      if (grad || !is_differentiable(node.output_dtype(i))) continue;
      grad = builder_.op("ZerosLike", {node.output(i)}, {}, "zeros_like");
    }
    const graph::NameScope scope(graph_, node.name() + "_grad");
    graph::GradientContext context(node, out_grads);
    std::vector<Endpoint> in_grads = row.gradient(context);
    if (in_grads.size() != node.inputs().size()) {
      throw errors::InternalError(fmt::format("The gradient of '{}' gave {} gradients for {} inputs",
                                              node.op(), in_grads.size(), node.inputs().size()));
    }
    return options_.gate_gradients ? gate(std::move(in_grads)) : in_grads;
  }

  std::vector<Endpoint> gate(std::vector<Endpoint> grads) {
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
    auto& lists = gradients_[of.node];
    lists.resize(static_cast<size_t>(of.node->num_outputs()));
    lists[static_cast<size_t>(of.index)].push_back(grad);
  }

  /// One gradient for each output: several are added.
  std::vector<Endpoint> aggregate(Node& node) {
    auto& lists = gradients_[&node];
    lists.resize(static_cast<size_t>(node.num_outputs()));
    std::vector<Endpoint> result;
    for (std::vector<Endpoint>& list : lists) {
      if (list.size() > 1) {
        const ColocationGuard with(&graph_, colocation_groups(*list.front().node));
        list = {builder_.op("AddN", list)};
      }
      result.push_back(list.empty() ? Endpoint{} : list.front());
    }
    return result;
  }

  Endpoint gradient_of(Endpoint x) {
    const auto found = gradients_.find(x.node);
    if (found == gradients_.end()) return {};
    const auto& list = found->second[static_cast<size_t>(x.index)];
    return list.empty() ? Endpoint{} : list.front();
  }

  std::optional<ColocationGuard> colocate(const Node& node) const {
    if (!options_.colocate_gradients_with_ops) return std::nullopt;
    return std::optional<ColocationGuard>(std::in_place, &graph_, colocation_groups(node));
  }

  graph::Graph& graph_;
  graph::Builder builder_;
  const GradientsOptions& options_;
  std::set<Node*> stop_gradients_;
  std::set<const Node*> between_;
  std::map<const Node*, int> pending_;
  std::set<Node*> stop_nodes_;
  std::deque<Node*> queue_;
  std::map<const Node*, std::vector<std::vector<Endpoint>>> gradients_;
};

void check_arguments(const std::vector<Tensor>& ys, const std::vector<GradientTarget>& xs,
                     const GradientsOptions& options) {
  if (ys.empty()) throw ValueError("tf::gradients needs at least one y");
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size()) {
    throw ValueError(
        fmt::format("Length mismatch. Passed {} grad_ys for {} ys", options.grad_ys.size(), ys.size()));
  }
  const graph::Graph* graph = &ys.front().node()->graph();
  const auto check = [&](const Tensor& tensor) {
    if (tensor && &tensor.node()->graph() != graph) {
      throw ValueError(fmt::format("{} must be from the same graph as {}.", tensor_text(endpoint_of(tensor)),
                                   tensor_text(endpoint_of(ys.front()))));
    }
  };
  for (const Tensor& y : ys) check(y);
  for (const GradientTarget& x : xs) check(x.tensor());
  for (const OptionalInput& grad : options.grad_ys) {
    if (is_given(grad) && grad->tensor() != nullptr) check(*grad->tensor());
  }
  if (options.unconnected_gradients != "none" && options.unconnected_gradients != "zero") {
    throw ValueError(
        fmt::format("Unknown value for unconnected_gradients: '{}'; expected \"none\" or \"zero\"",
                    options.unconnected_gradients));
  }
}

}  // namespace

std::vector<Tensor> gradients(const std::vector<Tensor>& ys, const std::vector<GradientTarget>& xs,
                              const GradientsOptions& options, Input::Where where) {
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
    if (!result[i] && options.unconnected_gradients == "zero") result[i] = zeros_like(xs[i].tensor());
  }
  return result;
}

}  // namespace flowray::tf
