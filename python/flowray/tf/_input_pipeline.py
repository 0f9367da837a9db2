"""tf.train.batch and its siblings: the language's queues, and the threads that fill them."""

from flowray import _native
from flowray.tf import _coordinator, _nest

_train = _native.train


def _with_runner(filled):
    """The queue, whose runner is in the graph's collection."""
    queue, enqueue_ops, close_op, cancel_op = filled
    _coordinator.add_queue_runner(_coordinator.QueueRunner(queue, enqueue_ops, close_op, cancel_op))
    return queue


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                   summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of a tensor, over and over."""
    return _with_runner(_train._input_producer(input_tensor, element_shape, num_epochs, shuffle, seed, capacity, shared_name,
                                               summary_name, name, cancel_op))


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None,
                          cancel_op=None):
    """A queue of strings, such as names of files."""
    if not isinstance(string_tensor, (_native.Tensor, _native.Variable)) and not list(string_tensor):
        raise ValueError("string_input_producer requires a non-null input tensor")
    return _with_runner(_train._string_input_producer(string_tensor, num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op))


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the numbers below `limit`."""
    return _with_runner(_train._range_input_producer(limit, num_epochs, shuffle, seed, capacity, shared_name, name))


def _given(produced):
    filled, tensors = produced
    _with_runner(filled)
    return tensors


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A row of each tensor, and in the next step another one."""
    return _given(_train._slice_input_producer(tensor_list, num_epochs, shuffle, seed, capacity, shared_name, name))


def _packed_like(tensors, batches):
    """As TensorFlow gives them: a dict for a dict, a tensor for a list of one."""
    if isinstance(tensors, dict):
        return _nest.pack_sequence_as(tensors, batches)
    return batches[0] if len(batches) == 1 else batches


def _flat(tensors):
    if isinstance(tensors, dict):
        return _nest.flatten(tensors)
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _flat_lists(tensors_list):
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], dict) and any(set(tensors) != set(tensors_list[0]) for tensors in tensors_list):
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [_flat(tensors) for tensors in tensors_list]


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """The tensors of several steps, one behind the other."""
    return maybe_batch(tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                       shared_name, name)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of examples for which the bool `keep_input` is true; with enqueue_many it may be a vector, one of each example."""
    made = _train._batch(_flat(tensors), keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                         allow_smaller_final_batch, shared_name, name)
    return _packed_like(tensors, _given(made))


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same as `batch` in random order."""
    return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many, shapes,
                               allow_smaller_final_batch, shared_name, name)


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None, enqueue_many=False,
                        shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same as `maybe_batch` in random order."""
    made = _train._shuffle_batch(_flat(tensors), batch_size, capacity, min_after_dequeue, keep_input, num_threads, seed, enqueue_many,
                                 shapes, allow_smaller_final_batch, shared_name, name)
    return _packed_like(tensors, _given(made))


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """`batch` of several lists of tensors, each put in by a thread of its own."""
    return maybe_batch_join(tensors_list, True, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                            shared_name, name)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                     allow_smaller_final_batch=False, shared_name=None, name=None):
    """`maybe_batch` of several lists of tensors, each put in by a thread of its own."""
    made = _train._batch_join(_flat_lists(tensors_list), keep_input, batch_size, capacity, enqueue_many, shapes, dynamic_pad,
                              allow_smaller_final_batch, shared_name, name)
    return _packed_like(tensors_list[0], _given(made))


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """`batch_join` in random order."""
    return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many, shapes,
                                    allow_smaller_final_batch, shared_name, name)


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False,
                             shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """`maybe_batch_join` in random order."""
    made = _train._shuffle_batch_join(_flat_lists(tensors_list), batch_size, capacity, min_after_dequeue, keep_input, seed,
                                      enqueue_many, shapes, allow_smaller_final_batch, shared_name, name)
    return _packed_like(tensors_list[0], _given(made))
