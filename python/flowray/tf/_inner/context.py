"""tensorflow.python.eager.context: whether operations run at once."""

import contextlib as _contextlib

from flowray import _native


executing_eagerly = _native.executing_eagerly


def in_eager_mode():
    return executing_eagerly()


def in_graph_mode():
    return not executing_eagerly()


@_contextlib.contextmanager
def graph_mode():
    """A graph of its own is the default one in the block, where operations run at once around it."""
    if not executing_eagerly():
        yield
        return
    with _native.Graph().as_default():
        yield


def eager_mode():
    """Operations run at once in the block."""
    return _native._eager_scope()


def num_gpus():
    return 0


def device(name):
    return _native._device(name)
