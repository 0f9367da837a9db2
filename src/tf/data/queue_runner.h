#pragma once
/// The queue runners of a graph. They belong to it,
/// so what is kept of them points at nodes without holding it.

#include <flowray/tf/train.h>

#include "core/guarded.h"
#include "graph/graph.h"

#include <functional>
#include <utility>
#include <vector>

namespace flowray::tf::internal {

/// The parts that a tf::train::FilledQueue is made of.
struct KeptQueueRunner {
  graph::Endpoint queue;
  std::vector<DType> dtypes;
  std::vector<TensorShape> shapes;
  std::vector<graph::Node*> enqueue_ops;
  graph::Node* close_op;
  graph::Node* cancel_op;
};

class QueueRunners {
 public:
  void add(KeptQueueRunner runner) { runners_.lock()->push_back(std::move(runner)); }
  std::vector<KeptQueueRunner> all() const { return *runners_.lock(); }

 private:
  Guarded<std::vector<KeptQueueRunner>> runners_;
};

inline QueueRunners& queue_runners_of(graph::Graph& graph) {
  return graph.attachment<QueueRunners>("queue_runners");
}

}  // namespace flowray::tf::internal
