"""tf.train.batch and its siblings: the language's queues, and the threads that fill them."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _coordinator, _flow, _nest, _sparse_components

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


class _Carried:
    """Lists of tensors and of sparse ones, whose handles go through the queue."""

    def __init__(self, lists, keep_input, enqueue_many):
        self._kinds = [self._kind(value) for value in lists[0]]
        for one in lists[1:]:
            if [self._kind(value)[:1] for value in one] != [kind[:1] for kind in self._kinds]:
                raise ValueError("Inconsistent SparseTensors list: %s vs. %s" % (lists[0], one))
        self._many = enqueue_many
        self._makers = [None] * len(self._kinds)
        self._keep_input = keep_input
        self.lists = [[self._handle(value, i) for i, value in enumerate(one)] for one in lists]

    @staticmethod
    def _kind(value):
        return ("sparse", value.dtype, value.shape.ndims) if isinstance(value, _native.SparseTensor) else ("dense",)

    def _handle(self, value, i):
        if self._kinds[i][0] == "dense":
            return value
        made, maker = self._made_handle(value, self._makers[i])
        self._makers[i] = self._makers[i] or maker
        return _native.expand_dims(made, [-1])

    def _made_handle(self, value, maker):
        """The handle, and the op that makes it. Of an example that is not kept there is none."""
        keep = self._keep_input
        if not isinstance(keep, _native.Tensor) or keep.shape.ndims == 0 and _tf.get_static_value(keep) is not None:
            made = _sparse_components.handle(value, self._many, maker)
            return made, made.op
        if self._many and keep.shape.ndims == 1:
            kept = _native.reshape(_native.where(_native.gather(keep, value.indices[:, 0])), [-1])
            value = _native.SparseTensor(_native.gather(value.indices, kept), _native.gather(value.values, kept),
                                         _native.identity(value.dense_shape))
            made = _sparse_components.handle(value, True, maker)
            return made, made.op
        makers = []

        def made_one():
            makers.append(_sparse_components.handle(value, self._many, maker))
            return makers[0]

        def none():
            nothing = _native.constant(-1, _native.as_dtype("int64"))
            return _native.fill(value.dense_shape[:1], nothing) if self._many else nothing
        return _flow.cond(keep, made_one, none), makers[0].op

    def given(self, batches):
        """The batches, sparse ones where sparse tensors went in. A step that takes one of them takes all."""
        if all(maker is None for maker in self._makers):
            return batches
        values = []
        for batch, maker, kind in zip(batches, self._makers, self._kinds):
            if maker is None:
                values.append(batch)
                continue
            rank = None if kind[2] is None else kind[2] + (0 if self._many else 1)
            handles = _native.squeeze(batch, [1])
            handles.set_shape([None])
            values.append(_sparse_components.taken(handles, kind[1], maker, rank))
        if len(values) == 1:
            return values
        with _native.control_dependencies([value.op for value in values]):
            return [_identity(value) for value in values]


def _identity(value):
    if isinstance(value, _native.SparseTensor):
        return _native.SparseTensor(*[_native.identity(part, name="control_dependency")
                                      for part in (value.indices, value.values, value.dense_shape)])
    return _native.identity(value, name="control_dependency")


def _batched(native, lists, keep_input, enqueue_many, shapes, default_name, name, *options):
    """What the language's function gives for the lists, sparse tensors among them."""
    if not any(isinstance(value, _native.SparseTensor) for one in lists for value in one):
        return _given(native(lists, keep_input, shapes, name, *options))
    if shapes is not None:
        shapes = [[1] if isinstance(value, _native.SparseTensor) else shape for value, shape in zip(lists[0], shapes)]
    flat = [part for one in lists for value in one for part in getattr(value, "_fetch_parts", (value,))]
    with _native.name_scope(name, default_name, [value for value in flat if isinstance(value, _native.Tensor)]) as scope:
        carried = _Carried(lists, keep_input, enqueue_many)
        return carried.given(_given(native(carried.lists, keep_input, shapes, scope, *options)))


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
    def native(lists, keep, own_shapes, scope):
        return _train._batch(lists[0], keep, batch_size, num_threads, capacity, enqueue_many, own_shapes, dynamic_pad,
                             allow_smaller_final_batch, shared_name, scope)
    return _packed_like(tensors, _batched(native, [_flat(tensors)], keep_input, enqueue_many, shapes, "batch", name))


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same as `batch` in random order."""
    return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many, shapes,
                               allow_smaller_final_batch, shared_name, name)


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None, enqueue_many=False,
                        shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same as `maybe_batch` in random order."""
    def native(lists, keep, own_shapes, scope):
        return _train._shuffle_batch(lists[0], batch_size, capacity, min_after_dequeue, keep, num_threads, seed, enqueue_many,
                                     own_shapes, allow_smaller_final_batch, shared_name, scope)
    return _packed_like(tensors, _batched(native, [_flat(tensors)], keep_input, enqueue_many, shapes, "shuffle_batch", name))


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """`batch` of several lists of tensors, each put in by a thread of its own."""
    return maybe_batch_join(tensors_list, True, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                            shared_name, name)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                     allow_smaller_final_batch=False, shared_name=None, name=None):
    """`maybe_batch` of several lists of tensors, each put in by a thread of its own."""
    flat = _flat_lists(tensors_list)

    def native(lists, keep, own_shapes, scope):
        return _train._batch_join(lists, keep, batch_size, capacity, enqueue_many, own_shapes, dynamic_pad, allow_smaller_final_batch,
                                  shared_name, scope)
    return _packed_like(tensors_list[0], _batched(native, flat, keep_input, enqueue_many, shapes, "batch_join", name))


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """`batch_join` in random order."""
    return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many, shapes,
                                    allow_smaller_final_batch, shared_name, name)


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False,
                             shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """`maybe_batch_join` in random order."""
    flat = _flat_lists(tensors_list)

    def native(lists, keep, own_shapes, scope):
        return _train._shuffle_batch_join(lists, batch_size, capacity, min_after_dequeue, keep, seed, enqueue_many, own_shapes,
                                          allow_smaller_final_batch, shared_name, scope)
    return _packed_like(tensors_list[0], _batched(native, flat, keep_input, enqueue_many, shapes, "shuffle_batch_join", name))
