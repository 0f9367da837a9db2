#pragma once
/// What a gradient function sees and makes nodes with.

#include "graph/builder.h"
#include "graph/graph.h"

#include <span>
#include <vector>

namespace flowray::graph {

/// The gradient of one node: `grads()[i]` is the gradient of the loss with respect to output i (null: none).
/// Nodes are made through the Builder in the name scope "gradients/NODE_grad", with the names that
/// TensorFlow's gradient functions give.
class GradientContext : public Builder {
 public:
  GradientContext(Node& node, std::span<const Endpoint> grads)
      : Builder(node.graph()), node_(node), grads_(grads) {}

  using Builder::node;
  Node& node() const { return node_; }
  Endpoint input(int i) const { return node_.input(i); }
  int num_inputs() const { return node_.num_inputs(); }
  Endpoint output(int i) const { return {&node_, i}; }
  Endpoint grad(int i = 0) const { return grads_[static_cast<size_t>(i)]; }
  std::span<const Endpoint> grads() const { return grads_; }
  const Attrs& attrs() const { return node_.attrs(); }

 private:
  Node& node_;
  std::span<const Endpoint> grads_;
};

}  // namespace flowray::graph
