#pragma once
/// Queue runners in a graph's collection: what fills the queues of tf::train::batch and its siblings, started
/// for all of them together.
///
///     auto batch = tf::train::batch({image, label}, 32);
///     tf::train::Coordinator coordinator;
///     tf::train::start_queue_runners(session, coordinator);
///     while (!coordinator.should_stop()) session.run(train);

#include <flowray/tf/graph.h>
#include <flowray/tf/input_pipeline.h>
#include <flowray/tf/queue.h>
#include <flowray/tf/session_run_hooks.h>

#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// tf.train.QueueRunner: a queue, and the operations that fill it, a thread for each.
using QueueRunner = FilledQueue;

/// One of a program's own queue, which it closes when there is nothing more to put in. Throws ValueError for
/// no operations.
QueueRunner queue_runner(const QueueBase& queue, const std::vector<Operation>& enqueue_ops,
                         Input::Where where = Input::Where::current());
/// Adds it to those of the queue's graph. Those of input_producer, batch and their siblings are there
/// already. Throws ValueError for one that is run in a way of its own.
void add_queue_runner(const QueueRunner& runner);
/// The queue runners of a graph, in the order in which they were added.
std::vector<QueueRunner> get_queue_runners(const Graph& graph = get_default_graph());
/// Starts all of the session's graph. They end with the coordinator, before which the session must not.
void start_queue_runners(Session& session, Coordinator& coordinator);

}  // namespace flowray::tf::train

#pragma GCC visibility pop
