"""What tensorflow.python.framework.test_util has beside tf.test."""

import contextlib as _contextlib
import functools as _functools

from flowray import _native
from flowray.tf.test import (TestCase, assert_equal_graph_def, create_local_cluster, gpu_device_name,  # noqa: F401
                             is_gpu_available)

TensorFlowTestCase, NullContextmanager = TestCase, _contextlib.nullcontext


def _as_it_is(decorated):
    return decorated


def _in_a_graph(function):
    """Runs a test in the graph that its setUp made, under a session that is the default."""
    @_functools.wraps(function)
    def run(self, *arguments, **named):
        with _native.get_default_graph().as_default():
            return function(self, *arguments, **named)
    return run


def _of_function_or_class(decorate):
    """A decorator with and without arguments."""
    def decorator(what=None, *unused, **options):
        if what is None or isinstance(what, str):
            return decorate
        return decorate(what)
    return decorator


run_v1_only = run_deprecated_v1 = run_all_in_deprecated_graph_mode_only = deprecated_graph_mode_only = _of_function_or_class(_as_it_is)
disable_xla = disable_all_xla = enable_control_flow_v2 = disable_control_flow_v2 = disable_tfrt = no_xla_auto_jit = \
    xla_allow_fallback = build_as_function_and_v1_graph = enable_eager_op_as_function = with_eager_op_as_function = \
    disable_mlir_bridge = run_all_without_tensor_float_32 = run_without_tensor_float_32 = run_gpu_only = run_cuda_only = \
    _of_function_or_class(_as_it_is)


@_of_function_or_class
def run_in_graph_and_eager_modes(function):
    """In a graph: there is no other mode."""
    @_functools.wraps(function)
    def run(self, *arguments, **named):
        with _native.get_default_graph().as_default(), self.test_session():
            return function(self, *arguments, **named)
    return run


@_of_function_or_class
def run_all_in_graph_and_eager_modes(cls):
    """Each test of the class in a graph."""
    for name, value in list(vars(cls).items()):
        if callable(value) and name.startswith("test") and name != "test_session":
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


@_contextlib.contextmanager
def device(use_gpu):
    """On the processor."""
    with _native._device("/device:CPU:0"):
        yield


use_gpu = force_gpu = force_cpu = _contextlib.nullcontext


def IsMklEnabled():  # noqa: N802: TensorFlow's name
    return False


def IsBuiltWithROCm():  # noqa: N802
    return False


def is_xla_enabled():
    return False


def is_mkl_enabled():
    return False


def NHWCToNCHW(shape):  # noqa: N802
    """Images' sizes, or images, with channels in the second place."""
    return _moved(shape, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]})


def NCHWToNHWC(shape):  # noqa: N802
    """... and with channels in the last."""
    return _moved(shape, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]})


def _moved(what, orders):
    if isinstance(what, _native.Tensor):
        return _native.transpose(what, orders[what.shape.ndims])
    return [what[axis] for axis in orders[len(what)]]
