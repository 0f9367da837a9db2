#pragma once
/// A while loop under construction, the program's own or that of a gradient.

#include "tf/flow/flow_build.h"

#include <string>
#include <vector>

namespace flowray::tf {

/// What a loop is asked for; a gradient's loop takes it over.
struct LoopTraits {
  int64_t parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
};

class LoopContext : public BuildContext {
 public:
  /// `name` is made unique and names the frame.
  LoopContext(graph::Graph& graph, BuildContext* outer, const LoopTraits& traits, std::string_view name);

  bool is_loop() const override { return true; }
  graph::FlowContext* forward() const override { return forward_loop(); }
  const std::string& frame_name() const { return frame_name_; }
  const LoopTraits& traits() const { return traits_; }
  /// For the loop of a gradient (gradients/loop_gradient.h): the loop that it runs
  /// backwards; null for others.
  virtual LoopContext* forward_loop() const { return nullptr; }
  /// For the loop of a gradient: what `value` of the forward loop was in the iteration that is run backwards.
  virtual graph::Endpoint remembered(graph::Endpoint value) { return value; }
  graph::Endpoint predicate() const { return predicate_; }
  std::vector<graph::Endpoint>& enters() { return enters_; }
  std::vector<graph::Endpoint>& exits() { return exits_; }

  graph::Node* pivot_node() const override {
    return pivot_for_body_ ? pivot_for_body_.node : pivot_for_predicate_.node;
  }
  graph::Endpoint bring_in(graph::Endpoint value) override;
  graph::FlowContext* home_of(const graph::NodeRequest& request) override;
  void node_made(graph::Node& node, const std::vector<graph::Node*>& outside_controls) override;

  // ---- building: the loop is entered
  enum class Shape : uint8_t { kOfInput, kUnknown };
  graph::Endpoint enter_node(graph::Endpoint value, bool is_constant, Shape shape,
                             std::string_view name = {});
  /// The enters of the loop's variables, which are known from outside already.
  void begin(const std::vector<graph::Endpoint>& enters);
  void set_pivot_for_predicate(graph::Endpoint pivot) { pivot_for_predicate_ = pivot; }
  void set_predicate(graph::Endpoint predicate) { predicate_ = predicate; }
  void set_pivot_for_body(graph::Endpoint pivot) { pivot_for_body_ = pivot; }
  /// `value` is what `merge` is in the next iteration; gives the NextIteration.
  graph::Endpoint close(graph::Endpoint merge, graph::Endpoint value);

 private:
  void fix_enter(graph::Endpoint enter);
  graph::Endpoint from_forward(graph::Endpoint value, bool* found);

  std::string frame_name_;
  LoopTraits traits_;
  graph::Endpoint pivot_for_predicate_;
  graph::Endpoint pivot_for_body_;
  graph::Endpoint predicate_;
  std::vector<graph::Endpoint> enters_;
  std::vector<graph::Endpoint> exits_;
};

bool has_role(const graph::Node& node, graph::FlowRole role);
/// Whether it brings a value into a loop that is the same in each iteration.
bool is_constant_enter(const graph::Node& node);
/// The loop that a node is in; null for none.
LoopContext* loop_of(const graph::Node& node);
/// Whether each dimension of `wide` that is known is that of `narrow`.
bool is_at_least_as_known(const TensorShape& narrow, const TensorShape& wide);

}  // namespace flowray::tf
