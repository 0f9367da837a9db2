"""tf.contrib.training: which ps task a variable goes to."""


def byte_size_load_fn(op):
    """The bytes of an operation's only output; of one element where its shape is not fully known."""
    if len(op.outputs) != 1:
        raise ValueError("Op %s must have a single output" % op)
    output = op.outputs[0]
    size, shape = output.dtype.size, output.get_shape()
    return shape.num_elements() * size if shape.is_fully_defined() else size


class GreedyLoadBalancingStrategy:
    """Puts each operation on the task with the smallest load so far: the ps_strategy of tf.train.replica_device_setter."""

    def __init__(self, num_tasks, load_fn):
        self._loads, self._load_fn = [0] * num_tasks, load_fn

    def __call__(self, op):
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task
