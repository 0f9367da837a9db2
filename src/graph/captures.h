#pragma once
/// What a function under construction does with values from outside of it.

#include "graph/graph.h"

#include <atomic>

namespace flowray::graph {

/// A graph that is the body of a function takes tensors of the program around it: each becomes a further
/// argument of the function. The builder of the body registers here while it builds.
class Captures {
 public:
  Captures() = default;
  Captures(const Captures&) = delete;
  Captures& operator=(const Captures&) = delete;
  virtual ~Captures() = default;

  /// What stands in the body for a value of another graph. Throws ValueError for one that cannot be captured.
  virtual Endpoint stand_in(Endpoint outside) = 0;

  /// The captures of a graph; null for one that is not a body, or is finished.
  static Captures* of(Graph& graph) { return slot(graph).load(std::memory_order_acquire); }
  /// Null: the body is finished.
  static void set(Graph& graph, Captures* captures) {
    slot(graph).store(captures, std::memory_order_release);
  }

 private:
  static std::atomic<Captures*>& slot(Graph& graph) {
    return graph.attachment<std::atomic<Captures*>>("captures");
  }
};

}  // namespace flowray::graph
