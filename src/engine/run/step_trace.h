#pragma once
/// A record of what one run of a step did, for RunMetadata and for people who look for slow nodes.

#include "graph/graph.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace flowray::engine {

/// One node that ran. Times in nanoseconds since 1970.
struct NodeTrace {
  const graph::Node* node = nullptr;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint32_t thread = 0;  // number of the thread, from 0 on
  struct Output {
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  std::vector<Output> outputs;  // those that hold elements of known shape
};

/// Filled by the run that it is given to, and by it alone.
class StepTrace {
 public:
  static int64_t now_ns();
  /// The number of the calling thread.
  static uint32_t this_thread();

  /// Adds `entry`, or joins it with the one before where a node reads its variable first. `is_read`: it is
  /// such a reading, left out where the node has run before, because then its result is read once more to
  /// be fetched.
  void add(NodeTrace entry, bool is_read = false);
  /// In the order in which they began.
  const std::vector<NodeTrace>& nodes() const { return nodes_; }

 private:
  std::vector<NodeTrace> nodes_;
  std::unordered_set<const graph::Node*> seen_;
  bool reads_last_ = false;  // whether the last to be added is such a reading
};

}  // namespace flowray::engine
