#pragma once
/// Branches and loops while they are being built: how values of the program around them come in, as
/// TensorFlow 1 does it.

#include "tf/build/apply_op.h"

#include "graph/builder.h"
#include "graph/flow_context.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::tf {

class LoopContext;

/// An order of endpoints that does not depend on addresses.
struct EndpointOrder {
  bool operator()(const graph::Endpoint& a, const graph::Endpoint& b) const {
    return std::pair(a.node->id(), a.index) < std::pair(b.node->id(), b.index);
  }
};

/// A branch or a loop with the values that are known in it.
class BuildContext : public graph::FlowContext {
 public:
  BuildContext(graph::Graph& graph, BuildContext* outer)
      : graph::FlowContext(outer), graph_(graph), builder_(graph) {}

  graph::Graph& graph() const { return graph_; }
  BuildContext* outer_context() const { return static_cast<BuildContext*>(outer()); }
  /// The loop that this is or is in; null for none.
  LoopContext* loop();

  /// What stands for `value` inside: itself if it was made here, else what brings it in, made when it is
  /// first asked for.
  virtual graph::Endpoint bring_in(graph::Endpoint value) = 0;
  /// What nodes without inputs wait for, so that they run only when this is run; null before there is one.
  virtual graph::Node* pivot_node() const { return nullptr; }
  /// `value` counts as one of this context.
  void know(graph::Endpoint value) { known_.insert(value); }
  /// The results can be used in the context around.
  void hand_out(const std::vector<graph::Endpoint>& results);

  /// What is made now is inside; between these others may be entered and left.
  void enter();
  void leave();

 protected:
  bool knows(graph::Endpoint value) const { return known_.contains(value); }
  /// What stands for a value that is known: something else, or itself.
  graph::Endpoint stand_in(graph::Endpoint value) const;
  void let_stand_in(graph::Endpoint value, graph::Endpoint replacement) { stand_ins_[value] = replacement; }
  void bring_in_inputs(graph::Node& node);
  /// What is made inside is not fetched outside, but for the results of a loop at the top.
  void keep_inside(const graph::Node& node);
  graph::FlowContexts& contexts() const { return graph::FlowContexts::of(graph_); }

  graph::Graph& graph_;
  graph::Builder builder_;
  std::set<graph::Endpoint, EndpointOrder> known_;
  std::map<graph::Endpoint, graph::Endpoint, EndpointOrder> stand_ins_;
};

/// What nodes are made in now.
BuildContext* current_context(graph::Graph& graph);
BuildContext* context_of(const graph::Node& node);
/// The context in which its outputs are.
BuildContext* output_context_of(const graph::Node& node);

/// A context is entered for as long as the guard lives; null enters nothing.
class InsideOf {
 public:
  explicit InsideOf(BuildContext* context) : context_(context) {
    if (context_ != nullptr) context_->enter();
  }
  InsideOf(const InsideOf&) = delete;
  InsideOf& operator=(const InsideOf&) = delete;
  ~InsideOf() {
    if (context_ != nullptr) context_->leave();
  }

 private:
  BuildContext* context_;
};

/// The other way round: a context that is entered is left for as long as the guard lives, with all that was
/// entered after it.
class OutsideOf {
 public:
  explicit OutsideOf(BuildContext& context)
      : contexts_(graph::FlowContexts::of(context.graph())), aside_(contexts_.set_aside(&context)) {}
  OutsideOf(const OutsideOf&) = delete;
  OutsideOf& operator=(const OutsideOf&) = delete;
  ~OutsideOf() { contexts_.enter_again(aside_); }

 private:
  graph::FlowContexts& contexts_;
  std::vector<graph::FlowContexts::Entered> aside_;
};

/// tf.control_dependencies(None): contexts are forgotten, too.
class WithoutScopes : public ControlDependenciesGuard {
 public:
  explicit WithoutScopes(graph::Graph& graph) : ControlDependenciesGuard(&graph, {}, /*clears=*/true) {}
};

/// One branch of a conditional.
class BranchContext : public BuildContext {
 public:
  BranchContext(graph::Graph& graph, BuildContext* outer, graph::Endpoint predicate, graph::Endpoint pivot,
                int branch);

  bool is_loop() const override { return false; }
  graph::Endpoint predicate() const { return predicate_; }
  /// 1: where the predicate is true.
  int branch() const { return branch_; }
  graph::Node* pivot_node() const override { return pivot_.node; }
  graph::Endpoint pivot() const { return pivot_; }

  graph::Endpoint bring_in(graph::Endpoint value) override;
  /// A result of the branch: one that comes from outside is brought in.
  graph::Endpoint result(graph::Endpoint value);
  void node_made(graph::Node& node, const std::vector<graph::Node*>& outside_controls) override;

 private:
  graph::Endpoint from_around(graph::Endpoint value);
  graph::Endpoint switched(graph::Endpoint value);

  graph::Endpoint predicate_;
  graph::Endpoint pivot_;
  int branch_;
};

// Nodes as TensorFlow's Python makes them: for a reference those of references.
/// Both outputs, {false, true}.
std::pair<graph::Endpoint, graph::Endpoint> switch_node(graph::Builder& builder, graph::Endpoint data,
                                                        graph::Endpoint predicate,
                                                        std::string_view name = "Switch");
/// The same beside `data`, whatever colocation is asked for around it.
std::pair<graph::Endpoint, graph::Endpoint> switch_beside(graph::Builder& builder, graph::Endpoint data,
                                                          graph::Endpoint predicate,
                                                          std::string_view name = "Switch");
/// `op`, or for references its twin that is named "Ref...", as output 0.
graph::Endpoint flow_node(graph::Builder& builder, std::string_view op, std::vector<graph::Endpoint> inputs,
                          graph::Attrs attrs, std::string_view name);
graph::Endpoint merge_node(graph::Builder& builder, graph::Endpoint a, graph::Endpoint b,
                           std::string_view name = "Merge");
/// `op` is "Exit", "NextIteration" or "Identity".
graph::Endpoint pass_on(graph::Builder& builder, std::string_view op, graph::Endpoint value,
                        std::string_view name = {});

}  // namespace flowray::tf
