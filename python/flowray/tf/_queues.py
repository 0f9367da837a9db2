"""Queues whose components may have names: elements are dicts then, by TensorFlow's rules."""

from flowray import _native
from flowray.tf._shape import TensorShape, unknown_shape


def _checked_names(names, dtypes):
    names = [names] if isinstance(names, str) else names
    num_components = len(dtypes) if isinstance(dtypes, (list, tuple)) else 1
    if names is not None and len(names) != num_components:
        raise ValueError("List of names must have the same length as the list of dtypes, received len(names)=%d,len(dtypes)=%d"
                         % (len(names), num_components))
    return names


class QueueBase:
    """What the names of its components make of a queue. The queue of a step itself is the native class behind it."""

    names = None

    def _components(self, vals):
        if isinstance(vals, dict):
            if not self.names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self.names, key=str) != sorted(vals, key=str):
                raise ValueError("Keys in dictionary to enqueue do not match names of Queue.  Dictionary: %s,Queue: %s"
                                 % (sorted(vals), sorted(self.names)))
            return [vals[name] for name in self.names]
        if self.names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        return vals

    def _element(self, given):
        if not self.names:
            return given
        return dict(zip(self.names, given if isinstance(given, (list, tuple)) else [given]))

    def enqueue(self, vals, name=None):
        """Puts one element in; waits while the queue is full."""
        return super().enqueue(self._components(vals), name=name)

    def enqueue_many(self, vals, name=None):
        """Puts in the elements that stand one behind the other along the first dimension."""
        return super().enqueue_many(self._components(vals), name=name)

    def dequeue(self, name=None):
        """Takes one element out; waits for it."""
        return self._element(super().dequeue(name=name))

    def dequeue_many(self, n, name=None):
        """Takes `n` elements out, one behind the other."""
        return self._element(super().dequeue_many(n, name=name))

    def dequeue_up_to(self, n, name=None):
        """Takes `n` elements out, or what is left in a queue that is closed."""
        return self._element(super().dequeue_up_to(n, name=name))


class FIFOQueue(QueueBase, _native.FIFOQueue):
    """First in, first out."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        self.names = _checked_names(names, dtypes)
        super().__init__(capacity, dtypes, shapes=shapes, shared_name=shared_name, name=name)


class RandomShuffleQueue(QueueBase, _native.RandomShuffleQueue):
    """Gives its elements in an order by chance."""

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name="random_shuffle_queue"):
        self.names = _checked_names(names, dtypes)
        super().__init__(capacity, min_after_dequeue, dtypes, shapes=shapes, seed=seed, shared_name=shared_name, name=name)


class PaddingFIFOQueue(QueueBase, _native.PaddingFIFOQueue):
    """Pads the elements that it gives together."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        self.names = _checked_names(names, dtypes)
        super().__init__(capacity, dtypes, shapes, shared_name=shared_name, name=name)


class PriorityQueue(QueueBase, _native.PriorityQueue):
    """Gives the element of the lowest priority first, which is the first component."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        self.names = names if names is None else _checked_names(names, ["int64", *(types if isinstance(types, (list, tuple)) else [types])])
        super().__init__(capacity, types, shapes=shapes, shared_name=shared_name, name=name)


def _shapes(queue):
    shapes = queue.queue_ref.op.get_attr("shapes")
    return [TensorShape(shape) for shape in shapes] if shapes else [unknown_shape() for _ in queue.dtypes]


_native.QueueBase.names = None
_native.QueueBase.shapes = property(_shapes)
