#pragma once
/// Queues between what reads and what trains: tf.train.string_input_producer, batch, shuffle_batch and their
/// siblings (tensorflow/python/training/input.py).
///
/// In Python each has a queue runner in the graph's collection, whose threads tf.train.start_queue_runners
/// starts. A C++ program runs `enqueue_ops` in threads of its own until errors::OutOfRangeError, and then
/// `close_op`.

#include <flowray/tf/queue.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// A queue, and what fills it.
struct FilledQueue {
  QueueBase queue;
  /// For one thread each.
  std::vector<Operation> enqueue_ops;
  /// When there is nothing more to put in, and when all has to end.
  Operation close_op;
  Operation cancel_op;
};

struct InputProducerOptions {
  /// How often each element comes; left out: without end. Counted by a local variable.
  std::optional<int64_t> num_epochs = std::nullopt;
  /// Anew in each epoch.
  bool shuffle = true;
  std::optional<int64_t> seed = std::nullopt;
  int64_t capacity = 32;
  std::string shared_name = {};
  std::string name = {};
};
/// The rows of a tensor, over and over.
FilledQueue input_producer(const Input& input_tensor, const InputProducerOptions& options = {});
/// Strings, such as names of files. Throws ValueError for none; where only the step knows it is the step's
/// error.
FilledQueue string_input_producer(const Input& string_tensor, const InputProducerOptions& options = {});
/// The numbers below `limit`.
FilledQueue range_input_producer(const Input& limit, const InputProducerOptions& options = {});

/// Tensors that come from a queue.
struct Produced {
  FilledQueue filled;
  std::vector<Tensor> tensors;
};
/// One row after the other of tensors with as many rows.
Produced slice_input_producer(const std::vector<Input>& tensors, const InputProducerOptions& options = {});

struct BatchOptions {
  /// Threads that compute and put in what goes into the batches.
  int64_t num_threads = 1;
  int64_t capacity = 32;
  /// Whether the tensors are several examples already.
  bool enqueue_many = false;
  /// Of one example; empty: the tensors' own, which must be known.
  std::vector<TensorShape> shapes = {};
  /// Fills dimensions that are not known up with zeros.
  bool dynamic_pad = false;
  /// Gives what is left at the end, too.
  bool allow_smaller_final_batch = false;
  std::string shared_name = {};
  std::string name = {};
};
/// tf.train.batch: the tensors of several steps, one behind the other. Throws ValueError for shapes that are
/// not known.
Produced batch(const std::vector<Input>& tensors, const Input& batch_size, const BatchOptions& options = {});

struct ShuffleBatchOptions {
  int64_t num_threads = 1;
  std::optional<int64_t> seed = std::nullopt;
  bool enqueue_many = false;
  std::vector<TensorShape> shapes = {};
  bool allow_smaller_final_batch = false;
  std::string shared_name = {};
  std::string name = {};
};
/// The same in random order: from a queue of `capacity` examples that keeps `min_after_dequeue` to mix.
Produced shuffle_batch(const std::vector<Input>& tensors, const Input& batch_size, int64_t capacity,
                       int64_t min_after_dequeue, const ShuffleBatchOptions& options = {});

}  // namespace flowray::tf::train

#pragma GCC visibility pop
