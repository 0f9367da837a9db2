#pragma once
/// Nodes that TensorFlow's Python makes for arithmetic: operators with numbers, and the sums that undo
/// broadcasting. What gradients of math ops are written in, beside python_nodes.h and python_array_nodes.h.

#include "graph/gradient_context.h"

#include <utility>

namespace flowray::ops {

/// `x * number`: nodes NAME/y (a Const of x's dtype) and NAME.
graph::Endpoint python_with_right(graph::Builder& g, std::string_view op, graph::Endpoint x, double number,
                                  std::string_view name);
/// `number * x`: nodes NAME/x and NAME.
graph::Endpoint python_with_left(graph::Builder& g, std::string_view op, double number, graph::Endpoint x,
                                 std::string_view name);
/// A scalar Const of `dtype`.
graph::Endpoint python_number(graph::Builder& g, double number, DType dtype, std::string_view name = "Const");

/// math_ops.conj(x): x itself where it is real.
graph::Endpoint python_conjugate(graph::Builder& g, graph::Endpoint x);

/// math_ops.cast(x, dtype): x itself where it has that dtype.
graph::Endpoint python_cast(graph::Builder& g, graph::Endpoint x, DType dtype);

/// Whether x, y and grad have one static shape: then binary ops need no sums.
bool python_same_static_shapes(graph::Endpoint x, graph::Endpoint y, graph::Endpoint grad);

/// Sums gx and gy (null: not wanted) over the dimensions along which x and y were broadcast (math_grad's
/// _ReduceGradientArgs): static axes where they are known, else by BroadcastGradientArgs.
std::vector<graph::Endpoint> python_reduce_gradients(graph::Builder& g, graph::Endpoint x, graph::Endpoint y,
                                                     graph::Endpoint gx, graph::Endpoint gy);

/// Nodes made while it lives wait for `node` (ops.control_dependencies).
class WaitFor {
 public:
  WaitFor(graph::Graph& graph, graph::Endpoint endpoint) : scopes_(graph.scopes()) {
    scopes_.control.push_back({.nodes = {endpoint.node}});
  }
  WaitFor(const WaitFor&) = delete;
  WaitFor& operator=(const WaitFor&) = delete;
  ~WaitFor() { scopes_.control.pop_back(); }

 private:
  graph::Scopes& scopes_;
};

}  // namespace flowray::ops
