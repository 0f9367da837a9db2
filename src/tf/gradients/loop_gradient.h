#pragma once
/// Gradients through loops, as TensorFlow 1 makes them: a loop that runs the program's one backwards, and a
/// stack for each value that it needs of the iterations. Source: Yu et al., "Dynamic Control Flow in
/// Large-Scale Machine Learning" (2018).

#include "tf/flow/loop_context.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace flowray::tf {

/// One loop and the loop of its gradient, for one call of tf::gradients.
class LoopGradient {
 public:
  /// Makes the counter of the iterations and the loop that counts them down. `outer`: the same for the loop
  /// around it, if that takes part in the gradients.
  LoopGradient(LoopContext& forward, LoopGradient* outer);

  LoopGradient* outer() const { return outer_; }
  LoopContext& forward_loop() const { return forward_; }
  LoopContext& loop() const { return *loop_; }

  /// What `value`, of the program's loop, was in the iteration that the gradient's loop is in. The loop
  /// is entered.
  graph::Endpoint remembered(graph::Endpoint value);
  /// A stack that gets `value` in each iteration; its handle. `is_dead`: it is of the branch of a conditional
  /// that is not taken.
  graph::Endpoint push(graph::Endpoint value, bool is_dead = false);
  /// What push() put there, in the gradient's loop.
  graph::Endpoint pop(graph::Endpoint stack, graph::Endpoint value, bool is_dead = false);
  /// The predicate of a conditional inside; null if it was not asked for yet.
  graph::Endpoint known_predicate(graph::Endpoint predicate) const;
  graph::Endpoint remembered_predicate(graph::Endpoint predicate);

  /// The sum over the iterations of a gradient for what `enter` brings in. The loop is entered.
  graph::Endpoint sum_up(graph::Node& enter, graph::Endpoint gradient);

  /// The Merges that stand for the loop's Switches in the gradient's, in the order of their making.
  std::vector<std::pair<graph::Node*, graph::Endpoint>>& merges_of_switches() { return merges_; }

  // Exits of the program's loop: the gradient's is entered by all of them at once, when the last one
  // is there.
  std::vector<graph::Endpoint> exits;
  std::vector<graph::Endpoint> deferred_exits;
  std::vector<graph::Endpoint> unused_exits;
  int pending_exits = 0;

 private:
  graph::Endpoint count_iterations();
  void count_down(graph::Endpoint count);
  graph::Node* forward_sync();
  graph::Node* backward_sync();
  graph::Endpoint zeros_for_sum(graph::Endpoint value, graph::Endpoint gradient);

  graph::Graph& graph_;
  graph::Builder builder_;
  LoopContext& forward_;
  LoopGradient* outer_;
  LoopContext* loop_ = nullptr;
  graph::Endpoint forward_index_;  // NextIterations of the counters
  graph::Endpoint index_;
  graph::Node* forward_sync_ = nullptr;
  graph::Node* sync_ = nullptr;
  std::map<graph::Endpoint, graph::Endpoint, EndpointOrder> remembered_;
  std::vector<std::pair<graph::Node*, graph::Endpoint>> merges_;
};

/// What a loop is the gradient's loop of; null for a program's own.
LoopGradient* gradient_of(const LoopContext& loop);

}  // namespace flowray::tf
