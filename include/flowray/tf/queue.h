#pragma once
/// Queues between steps: tf.FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue and PriorityQueue of
/// TensorFlow 1 (tensorflow/python/ops/data_flow_ops.py). A step that puts in waits for room, one
/// that takes out for elements, until it can go on, the queue or its session is closed, or its time
/// is up (RunOptions::timeout_in_ms).
///
/// Nodes, names and attributes are those that TensorFlow's functions of the same name make.

#include <flowray/tf/input.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// What comes out of a queue: one tensor for each component. With one component it is that tensor.
class Dequeued {
 public:
  /// For Flowray itself: of a dequeuing operation's outputs.
  explicit Dequeued(std::vector<Tensor> components, Input::Where where = Input::Where::current())
      : components_(std::move(components)), where_(where) {}
  /// Throws ValueError unless there is one component.
  operator Tensor() const;  // NOLINT: implicit, as one writes `tf::Tensor x = queue.dequeue()`
  /// Component i. Throws std::out_of_range for an index out of range.
  const Tensor& operator[](size_t i) const { return components_.at(i); }
  /// The number of components.
  size_t size() const { return components_.size(); }
  /// The first component, and the end, for a loop.
  auto begin() const { return components_.begin(); }
  auto end() const { return components_.end(); }
  /// The operation, for control dependencies.
  Operation op() const { return components_.at(0).op(); }

 private:
  std::vector<Tensor> components_;
  Input::Where where_;  // the call that made it
};

struct QueueCloseOptions {
  /// Whether steps that wait to put something in end (errors::CancelledError); else they are waited for; true
  /// to stop producers at once; false to let them finish.
  bool cancel_pending_enqueues = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

/// What can be done with every queue. A cheap handle.
class QueueBase {
 public:
  /// One element: a value for each component. Throws ValueError for a wrong number of them and for dtypes or
  /// shapes that are not the queue's. In a step: errors::CancelledError where the queue is closed.
  Operation enqueue(const List<Input>& components, const NameOption& options = {}) const;
  /// Puts in as many elements as dimension 0 of every component has rows.
  Operation enqueue_many(const List<Input>& components, const NameOption& options = {}) const;
  /// One element. In a step: errors::OutOfRangeError where the queue is closed and empty.
  Dequeued dequeue(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// `n` elements, one behind the other along a new dimension 0. errors::OutOfRangeError where the queue is
  /// closed and has fewer; errors::InvalidArgumentError where its components have no shapes.
  Dequeued dequeue_many(const Input& n, const NameOption& options = {}) const;
  /// `n` elements as dequeue_many gives them, or as many as are left where the queue is closed.
  Dequeued dequeue_up_to(const Input& n, const NameOption& options = {}) const;
  /// int32: how many elements are in it.
  Tensor size(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// A bool scalar: whether the queue is closed.
  Tensor is_closed(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;

  /// Nothing can be put in any more, once what waits to be put in has been.
  Operation close(const QueueCloseOptions& options = {}, Input::Where where = Input::Where::current()) const;

  /// The tensor by which nodes know the queue.
  const Tensor& queue_ref() const { return handle_; }
  /// The name of the queue's node.
  std::string name() const { return handle_.op().name(); }
  /// The dtypes of the components of an element.
  const std::vector<DType>& dtypes() const { return dtypes_; }
  /// The shapes of the components of an element; of unknown rank where none were given.
  const std::vector<TensorShape>& shapes() const { return shapes_; }

 protected:
  /// `handle` is what the queue's node gives; `dtypes` and `shapes` are those of an element's components.
  QueueBase(Tensor handle, std::vector<DType> dtypes, std::vector<TensorShape> shapes);

 private:
  std::string node_name(const std::string& asked, const char* what) const;
  Operation enqueue(const char* op, const List<Input>& components, const std::string& name, bool many) const;
  Dequeued dequeue(const char* op, const List<Input>& args, const std::string& name,
                   const TensorShape& before) const;

  Tensor handle_;
  std::vector<DType> dtypes_;
  std::vector<TensorShape> shapes_;
};

struct QueueOptions {
  /// The shape of each component of an element; none: any shape, and elements can be
  /// taken out one at a time only.
  std::vector<TensorShape> shapes = {};
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of the queue's node; empty: "fifo_queue" and its siblings.
  std::string name = {};
};

/// First in, first out; holds `capacity` elements.
class FIFOQueue : public QueueBase {
 public:
  /// Adds the queue to the default graph; `dtypes` are those of an element's components.
  FIFOQueue(int64_t capacity, const std::vector<DType>& dtypes, const QueueOptions& options = {},
            Input::Where where = Input::Where::current());
};

struct RandomShuffleQueueOptions {
  /// The shape of each component of an element; none: any shape, and elements can be
  /// taken out one at a time only.
  std::vector<TensorShape> shapes = {};
  /// With the graph's seed it decides the order, as in TensorFlow.
  std::optional<int64_t> seed = {};
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of the queue's node; empty: "random_shuffle_queue".
  std::string name = {};
};

/// Out in random order; while it is open, `min_after_dequeue` elements stay in it to be mixed with.
class RandomShuffleQueue : public QueueBase {
 public:
  /// Adds the queue to the default graph.
  RandomShuffleQueue(int64_t capacity, int64_t min_after_dequeue, const std::vector<DType>& dtypes,
                     const RandomShuffleQueueOptions& options = {},
                     Input::Where where = Input::Where::current());
};

/// First in, first out; `shapes` may leave dimensions open, and dequeue_many fills them up with zeros.
class PaddingFIFOQueue : public QueueBase {
 public:
  /// Throws ValueError unless there is a shape for each dtype.
  PaddingFIFOQueue(int64_t capacity, const std::vector<DType>& dtypes, const QueueOptions& options,
                   Input::Where where = Input::Where::current());
};

/// Smallest priority first: an int64 component in front of those of `types`.
class PriorityQueue : public QueueBase {
 public:
  /// Adds the queue to the default graph.
  PriorityQueue(int64_t capacity, const std::vector<DType>& types, const QueueOptions& options,
                Input::Where where = Input::Where::current());
};

}  // namespace flowray::tf

#pragma GCC visibility pop
