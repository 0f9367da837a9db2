"""Pickles of what is sent between processes: functions and classes of the program by value, the bytes of arrays beside the pickle,
references counted."""

import contextlib
import functools
import io
import pickle
import sys
import threading
import types

import cloudpickle

from flowray import _native


class _Thread(threading.local):
    """What the pickle that this thread writes or reads refers to; None while it does not."""

    refs = None
    num_bytes = None  # of what it has read, where somebody wants to know


_thread = _Thread()

# What belongs to a graph, and what programs call it.
_OF_GRAPH = {
    _native.Graph: "tf.Graph", _native.BaseSession: "tf.Session", _native.Tensor: "tf.Tensor", _native.Operation: "tf.Operation",
    _native.Variable: "tf.Variable", _native.VariableScope: "tf.VariableScope", _native.IndexedSlices: "tf.IndexedSlices",
    _native.TensorArray: "tf.TensorArray", _native.QueueBase: "tf.QueueBase", _native.Callable: "tf.Session's callable",
    _native._Dataset: "tf.data.Dataset", _native._Iterator: "tf.data.Iterator", _native.nn._Cell: "tf.nn.rnn_cell.RNNCell",
    _native.train.Saver: "tf.train.Saver", _native.train.Optimizer: "tf.train.Optimizer",
    _native.train.ExponentialMovingAverage: "tf.train.ExponentialMovingAverage", _native.summary.FileWriter: "tf.summary.FileWriter",
    _native.keras.Model: "tf.keras.Model", _native._ray.TensorFlowVariables: "ray.experimental.TensorFlowVariables"}


@functools.lru_cache(maxsize=512)
def _refused_name(kind):
    """What programs call the class, or the one that it inherits from, if it belongs to a graph; None for all others."""
    return next((name for of_graph, name in _OF_GRAPH.items() if issubclass(kind, of_graph)), None)


_serializers = {}  # {class: (serializer, deserializer)}


def register_serializer(cls, *, serializer, deserializer):
    """Has objects of the class pickled by what `serializer` makes of them, in values that this process sends from now on.

    Args:
        cls: the class; not those that inherit from it.
        serializer: a function of an object, whose result can be sent.
        deserializer: a function that makes an object of that again. It travels with each value.
    """
    if not isinstance(cls, type):
        raise TypeError("register_serializer: %r is not a class" % (cls,))
    for name, function in (("serializer", serializer), ("deserializer", deserializer)):
        if not callable(function):
            raise TypeError("register_serializer: the %s must be a function, got %r" % (name, function))
    _serializers[cls] = serializer, deserializer


def deregister_serializer(cls):
    """Takes back what register_serializer has said of the class; does nothing where it has said nothing."""
    _serializers.pop(cls, None)


class _Pickler(cloudpickle.Pickler):
    def reducer_override(self, obj):
        if _serializers and type(obj) in _serializers:
            serializer, deserializer = _serializers[type(obj)]
            return deserializer, (serializer(obj),)
        refused = _refused_name(type(obj))
        if refused is not None:
            raise TypeError(_refusal(refused))
        if isinstance(obj, types.GeneratorType):
            raise TypeError("cannot send a generator: what it yields is sent. A remote function or method that yields is called with "
                            "num_returns=\"streaming\"")
        if isinstance(obj, BaseException):
            errors = sys.modules.get("flowray.tf.errors")
            if errors is not None and isinstance(obj, errors.OpError):  # its operation stays where it is
                return type(obj), (None, None, obj.message)
        return super().reducer_override(obj)


def _refusal(name):
    weights = ("model.get_weights() and model.set_weights(weights)" if name == "tf.keras.Model" else
               "ray.experimental.TensorFlowVariables(loss, sess).get_weights() and set_weights(weights)")
    return ("cannot send a %s to another process: graphs, and the sessions, tensors and variables that belong to one, stay in the "
            "process that made them.\nBuild the graph in each actor, once, and send its weights: %s" % (name, weights))


def dumps(value):
    """(pickle, buffers that lie beside it, references in it)."""
    outer, _thread.refs = _thread.refs, []
    buffers = []
    try:
        with io.BytesIO() as file:
            _Pickler(file, protocol=5, buffer_callback=buffers.append).dump(value)
            return file.getvalue(), buffers, _thread.refs
    except Exception as error:
        from flowray.ray._culprits import explained
        raise explained(value, error) from error
    finally:
        _thread.refs = outer


def loads(data, buffers, refs):
    outer, _thread.refs = _thread.refs, refs
    if _thread.num_bytes is not None:
        _thread.num_bytes += sum(memoryview(read).nbytes for read in (data, *buffers))  # a large pickle, too, lies in the store
    try:
        return pickle.loads(data, buffers=buffers)
    except Exception as error:
        from flowray.ray import _worker, exceptions
        if isinstance(error, exceptions.RayError):  # of the runtime itself
            raise
        raise exceptions.RaySystemError(error, "".join(_worker.without_own_frames(error).format())) from error
    finally:
        _thread.refs = outer


@contextlib.contextmanager
def counting_bytes():
    """Counts those of the pickles that this thread reads: yields what tells them."""
    outer, _thread.num_bytes = _thread.num_bytes, 0
    try:
        yield lambda: _thread.num_bytes
    finally:
        _thread.num_bytes = outer


def _ref_at(index):
    return _thread.refs[index]


def reduce_ref(ref):
    if _thread.refs is None:
        raise TypeError("%r cannot be pickled by itself: a reference travels as an argument, as a result or inside of a value, where it "
                        "is counted" % ref)
    _thread.refs.append(ref)
    return _ref_at, (len(_thread.refs) - 1,)


def counted(share):
    """What stands for the share of an actor's handle in a pickle: itself, or None in one that nobody counts references in."""
    return share if _thread.refs is not None else None


def dumps_alone(value):
    """A pickle that `pickle.loads` reads: nothing lies beside it."""
    with io.BytesIO() as file:
        _Pickler(file, protocol=5).dump(value)
        return file.getvalue()
