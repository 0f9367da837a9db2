#pragma once
/// tf.train.batch and its siblings: queues between what reads and what trains. Each is a queue runner in the
/// graph's collection, whose threads tf::train::start_queue_runners starts (flowray/tf/queue_runner.h).

#include <flowray/tf/input.h>
#include <flowray/tf/queue.h>
#include <flowray/tf/variable.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {
struct RunOptions;
}

namespace flowray::tf::train {

/// A queue, and what fills it.
struct FilledQueue {
  /// The queue.
  QueueBase queue;
  /// For one thread each.
  std::vector<Operation> enqueue_ops;
  /// When there is nothing more to put in, and when all has to end.
  Operation close_op;
  /// Ends what waits to put something in (errors::CancelledError), and closes the queue.
  Operation cancel_op;
  /// How an enqueue_op is run; null: by Session::run and nothing else.
  std::function<void(Session&, const Operation&, const RunOptions&)> run = nullptr;
};

struct InputProducerOptions {
  /// Of one row, where the tensor's own is not known; left out: the tensor's.
  TensorShape element_shape = TensorShape::unknown_rank();
  /// How often each element comes; left out: without end. Counted by a local variable.
  std::optional<int64_t> num_epochs = std::nullopt;
  /// Whether the order is shuffled, anew in each epoch; false for evaluation, in order.
  bool shuffle = true;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// How many elements the queue holds.
  int64_t capacity = 32;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of a summary that tells how full the queue is, of 1; empty: none.
  std::string summary_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// What ends the threads that wait for room; left out: the queue is closed.
  std::optional<Operation> cancel_op = std::nullopt;
};
/// The rows of a tensor, over and over. Throws ValueError where a row's shape is not known.
FilledQueue input_producer(const Input& input_tensor, const InputProducerOptions& options = {});

struct StringInputProducerOptions {
  /// How often each element comes; left out: without end. Counted by a local variable.
  std::optional<int64_t> num_epochs = std::nullopt;
  /// Whether the order is shuffled, anew in each epoch; false for evaluation, in order.
  bool shuffle = true;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// How many elements the queue holds.
  int64_t capacity = 32;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// What ends the threads that wait for room; left out: the queue is closed.
  std::optional<Operation> cancel_op = std::nullopt;
};
/// Strings, such as names of files. Throws ValueError for none; where only the step knows it is the
/// step's error.
FilledQueue string_input_producer(const Input& string_tensor, const StringInputProducerOptions& options = {});

struct RangeInputProducerOptions {
  /// How often each element comes; left out: without end. Counted by a local variable.
  std::optional<int64_t> num_epochs = std::nullopt;
  /// Whether the order is shuffled, anew in each epoch; false for evaluation, in order.
  bool shuffle = true;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// How many elements the queue holds.
  int64_t capacity = 32;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The numbers below `limit`.
FilledQueue range_input_producer(const Input& limit, const RangeInputProducerOptions& options = {});

/// Tensors that come from a queue.
struct Produced {
  /// The queue that they come from.
  FilledQueue filled;
  /// One step's tensors.
  std::vector<Tensor> tensors;
};
/// One row after the other of tensors with as many rows.
Produced slice_input_producer(const List<Input>& tensors, const RangeInputProducerOptions& options = {});

struct BatchOptions {
  /// Threads that compute and put in what goes into the batches.
  int64_t num_threads = 1;
  /// How many elements the queue holds.
  int64_t capacity = 32;
  /// Whether the first dimension of the tensors counts examples; false: a tensor is one example; true for
  /// readers that give many at a time.
  bool enqueue_many = false;
  /// Of one example; empty: the tensors' own, which must be known.
  std::vector<TensorShape> shapes = {};
  /// Fills dimensions that are not known up with zeros, to the longest of the batch; false: all shapes must
  /// be known; true for sequences of different lengths.
  bool dynamic_pad = false;
  /// Whether the last batch may have fewer examples; false: what does not fill a batch is dropped; true for
  /// evaluation, which counts each example; the size of a batch is not known in the graph then.
  bool allow_smaller_final_batch = false;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.train.batch: the tensors of several steps, one behind the other. Throws ValueError for shapes that are
/// not known.
Produced batch(const List<Input>& tensors, const Input& batch_size, const BatchOptions& options = {});

struct ShuffleBatchOptions {
  /// Threads that compute and put in what goes into the batches.
  int64_t num_threads = 1;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// Whether the first dimension of the tensors counts examples; false: a tensor is one example; true for
  /// readers that give many at a time.
  bool enqueue_many = false;
  /// Of one example; empty: the tensors' own, which must be known.
  std::vector<TensorShape> shapes = {};
  /// Whether the last batch may have fewer examples; false: what does not fill a batch is dropped; true for
  /// evaluation, which counts each example; the size of a batch is not known in the graph then.
  bool allow_smaller_final_batch = false;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.train.shuffle_batch: batch in random order, from a queue of `capacity` examples that keeps
/// `min_after_dequeue` to mix.
Produced shuffle_batch(const List<Input>& tensors, const Input& batch_size, int64_t capacity,
                       int64_t min_after_dequeue, const ShuffleBatchOptions& options = {});

/// tf.train.maybe_batch: of examples for which the bool `keep_input` is true; with enqueue_many it may be a
/// vector, one of each example. Throws ValueError for another shape.
Produced maybe_batch(const List<Input>& tensors, const Input& keep_input, const Input& batch_size,
                     const BatchOptions& options = {});
/// tf.train.maybe_shuffle_batch: the same in random order.
Produced maybe_shuffle_batch(const List<Input>& tensors, const Input& batch_size, int64_t capacity,
                             int64_t min_after_dequeue, const Input& keep_input,
                             const ShuffleBatchOptions& options = {});

struct BatchJoinOptions {
  /// How many elements the queue holds.
  int64_t capacity = 32;
  /// Whether the first dimension of the tensors counts examples; false: a tensor is one example; true for
  /// readers that give many at a time.
  bool enqueue_many = false;
  /// Of one example; empty: the tensors' own, which must be known.
  std::vector<TensorShape> shapes = {};
  /// Fills dimensions that are not known up with zeros, to the longest of the batch; false: all shapes must
  /// be known; true for sequences of different lengths.
  bool dynamic_pad = false;
  /// Whether the last batch may have fewer examples; false: what does not fill a batch is dropped; true for
  /// evaluation, which counts each example; the size of a batch is not known in the graph then.
  bool allow_smaller_final_batch = false;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.train.batch_join: batch of several lists of tensors, each put in by a thread of its own. Throws
/// TypeError for lists with other dtypes, ValueError for other shapes.
Produced batch_join(const std::vector<std::vector<Input>>& tensors_list, const Input& batch_size,
                    const BatchJoinOptions& options = {});
/// tf.train.maybe_batch_join: of examples for which `keep_input` is true, as in maybe_batch.
Produced maybe_batch_join(const std::vector<std::vector<Input>>& tensors_list, const Input& keep_input,
                          const Input& batch_size, const BatchJoinOptions& options = {});

struct ShuffleBatchJoinOptions {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// Whether the first dimension of the tensors counts examples; false: a tensor is one example; true for
  /// readers that give many at a time.
  bool enqueue_many = false;
  /// Of one example; empty: the tensors' own, which must be known.
  std::vector<TensorShape> shapes = {};
  /// Whether the last batch may have fewer examples; false: what does not fill a batch is dropped; true for
  /// evaluation, which counts each example; the size of a batch is not known in the graph then.
  bool allow_smaller_final_batch = false;
  /// Under this name other sessions on the same server find the queue; empty: it belongs to its session.
  std::string shared_name = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.train.shuffle_batch_join: batch_join in random order, from a queue of `capacity` examples that keeps
/// `min_after_dequeue` to mix.
Produced shuffle_batch_join(const std::vector<std::vector<Input>>& tensors_list, const Input& batch_size,
                            int64_t capacity, int64_t min_after_dequeue,
                            const ShuffleBatchJoinOptions& options = {});
/// tf.train.maybe_shuffle_batch_join: of examples for which `keep_input` is true, as in maybe_batch.
Produced maybe_shuffle_batch_join(const std::vector<std::vector<Input>>& tensors_list,
                                  const Input& batch_size, int64_t capacity, int64_t min_after_dequeue,
                                  const Input& keep_input, const ShuffleBatchJoinOptions& options = {});

struct LimitEpochsOptions {
  /// How often the tensor may be computed; then the step is an OutOfRangeError. Left out: for ever.
  std::optional<int64_t> num_epochs = std::nullopt;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.train.limit_epochs: the tensor, whose computations are counted in a local variable. Throws ValueError
/// for a number below 1.
Tensor limit_epochs(const Input& tensor, const LimitEpochsOptions& options = {});
/// tf.train.match_filenames_once: the names of files that fit a pattern, or several ones, as they were when
/// the local variables were initialized.
Variable match_filenames_once(const Input& pattern, const NameOption& options = {});

}  // namespace flowray::tf::train

#pragma GCC visibility pop
