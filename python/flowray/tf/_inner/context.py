"""tensorflow.python.eager.context: there are graphs only."""

import contextlib as _contextlib

from flowray import _native


def executing_eagerly():
    return False


def in_eager_mode():
    return False


def in_graph_mode():
    return True


@_contextlib.contextmanager
def graph_mode():
    """As it is anyway."""
    yield


def eager_mode():
    raise NotImplementedError("Flowray runs graphs of version 1: there is no eager execution")


def num_gpus():
    return 0


def device(name):
    return _native._device(name)
