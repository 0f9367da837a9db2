#pragma once
/// What branches and loops add to one call of tf::gradients.

#include "tf/gradients/loop_gradient.h"

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace flowray::tf {

class FlowGradients {
 public:
  explicit FlowGradients(graph::Graph& graph) : graph_(graph), builder_(graph) {}

  /// Makes the gradients' loops for those whose Exits are among `between`, and adds their other Exits to it.
  /// `colocate` is called around each.
  void add_loops(std::vector<graph::Node*>& between, std::set<const graph::Node*>& members,
                 const std::function<std::optional<ColocationGuard>(const graph::Node&)>& colocate);
  bool has_loops() const { return !loops_.empty(); }
  const std::vector<std::unique_ptr<LoopGradient>>& loops() const { return loops_; }

  /// The gradient's loop in which the gradient of `node` is made; null where it is in none. `of_outputs`: in
  /// which its outputs' gradients are, which for an Exit is the one around.
  LoopGradient* of(const graph::Node& node, bool of_outputs) const;
  LoopContext* loop_for(const graph::Node& node, bool of_outputs) const;

  /// The gradient of an output that nothing depends on; none for a loop's Switch.
  graph::Endpoint zeros_like(graph::Node& node, int output);
  /// The same for an Exit; called where tf::gradients was.
  graph::Endpoint zeros_for_exit(graph::Endpoint exit);
  /// The gradients of the inputs of a node that has a FlowRole.
  std::vector<graph::Endpoint> differentiate(graph::Node& node, const std::vector<graph::Endpoint>& grads);
  /// Ends the loops of variables whose next value does not depend on the last one.
  void finish();

 private:
  void add_loop(graph::Node& exit, std::vector<graph::Node*>& between, std::set<const graph::Node*>& members);
  LoopGradient* of_loop(const BuildContext* loop) const;
  graph::Endpoint zeros_outside_of_loops(graph::Node& node, int output);
  graph::Endpoint zeros_in_loop(LoopGradient& gradient, graph::Node& node, int output);
  std::vector<graph::Endpoint> of_switch(graph::Node& node, const std::vector<graph::Endpoint>& grads);
  std::vector<graph::Endpoint> of_merge(graph::Node& node, graph::Endpoint grad);
  graph::Endpoint of_enter(graph::Node& node, graph::Endpoint grad);
  graph::Endpoint of_exit(graph::Node& node, graph::Endpoint grad);

  graph::Graph& graph_;
  graph::Builder builder_;
  std::vector<std::unique_ptr<LoopGradient>> loops_;
};

/// Whether it chooses in each iteration between another one and the Exit.
bool is_loop_switch(const graph::Node& node);

}  // namespace flowray::tf
