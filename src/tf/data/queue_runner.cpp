#include "tf/data/queue_runner.h"

#include <flowray/tf/queue_runner.h>

#include "tf/build/apply_op.h"
#include "tf/build/unset.h"

namespace flowray::tf::train {
namespace {

/// A queue by its parts.
class KnownQueue : public QueueBase {
 public:
  explicit KnownQueue(const internal::KeptQueueRunner& kept)
      : QueueBase(tensor_of(kept.queue), kept.dtypes, kept.shapes) {}
};

graph::Node* node_or_none(const Operation& operation) { return operation.node(); }
Operation operation_or_none(graph::Node* node) { return node == nullptr ? Operation() : Operation(node); }

}  // namespace

QueueRunner queue_runner(const QueueBase& queue, const std::vector<Operation>& enqueue_ops,
                         Input::Where where) {
  const ErrorLine errors(where);
  if (enqueue_ops.empty()) throw ValueError("Must provide at least one enqueue_op.");
  check_all_set(enqueue_ops, "enqueue_ops");
  const Operation close = queue.close({}, where);
  const Operation cancel = queue.close({.cancel_pending_enqueues = true}, where);
  return {queue, enqueue_ops, close, cancel};
}

void add_queue_runner(const QueueRunner& runner) {
  // What runs it in a way of its own may hold the graph, which would then never end.
  if (runner.run != nullptr) {
    throw ValueError(
        "A queue runner with a function of its own is in no collection: give it to "
        "Coordinator::start_queue_runners");
  }
  check_all_set(runner.enqueue_ops, "enqueue_ops");
  std::vector<graph::Node*> nodes;
  for (const Operation& operation : runner.enqueue_ops) nodes.push_back(operation.node());
  const graph::Endpoint queue = endpoint_of(runner.queue.queue_ref());
  internal::queue_runners_of(queue.node->graph())
      .add({queue, runner.queue.dtypes(), runner.queue.shapes(), std::move(nodes),
            node_or_none(runner.close_op), node_or_none(runner.cancel_op)});
}

std::vector<QueueRunner> get_queue_runners(const Graph& graph) {
  std::vector<QueueRunner> runners;
  for (const internal::KeptQueueRunner& kept : internal::queue_runners_of(*graph.get()).all()) {
    std::vector<Operation> operations;
    for (graph::Node* node : kept.enqueue_ops) operations.emplace_back(node);
    runners.push_back({KnownQueue(kept), std::move(operations), operation_or_none(kept.close_op),
                       operation_or_none(kept.cancel_op)});
  }
  return runners;
}

void start_queue_runners(Session& session, Coordinator& coordinator) {
  coordinator.start_queue_runners(session, get_queue_runners(session.graph()));
}

}  // namespace flowray::tf::train
