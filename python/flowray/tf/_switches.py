"""What programs switch on or off, versions, and names of ways of doing things. Graphs, reference variables and control flow of version 1
are what there is: to ask for them is nothing, and to ask for the others is refused."""

import contextlib as _contextlib
import enum as _enum

from flowray import _native


def _no_effect(name):
    def function(*unused, **options):
        return None
    return _called(name, "Has no effect: here it is so anyway, or there is nothing to switch.", function)


def _answers(name, value, docstring):
    def function():
        return value
    return _called(name, docstring, function)


def _refuses(name, what):
    def function(*unused, **options):
        raise NotImplementedError("Flowray runs graphs of version 1: there is no %s" % what)
    return _called(name, "Raises NotImplementedError: there is no %s." % what, function)


def _called(name, docstring, function):
    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = docstring
    return function


def _made_by(make, functions):
    """They stand in this module by the last parts of their names."""
    globals().update((name.rpartition(".")[2], make(name, *rest)) for name, *rest in functions)


_made_by(_no_effect, [[name] for name in (
    "disable_control_flow_v2", "disable_tensor_equality", "disable_v2_tensorshape", "debugging.set_log_device_placement",
    "debugging.enable_traceback_filtering", "debugging.disable_traceback_filtering", "debugging.disable_check_numerics")])
_made_by(_answers, [
    ("control_flow_v2_enabled", False, "False: conditions and loops are nodes of the graph, and no functions."),
    ("debugging.get_log_device_placement", False, "False: which device runs an operation is not logged."),
    ("debugging.is_traceback_filtering_enabled", True, "True, which is TensorFlow's default; tracebacks are Python's.")])
_made_by(_refuses, {
    "enable_control_flow_v2": "control flow of version 2", "enable_tensor_equality": "equality of tensors by value",
    "enable_v2_tensorshape": "TensorShape without Dimension"}.items())

# Of the TensorFlow whose graphs these are.
GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER = 2474, 0, 0
CXX11_ABI_FLAG, CXX_VERSION, MONOLITHIC_BUILD, COMPILER_VERSION, GIT_VERSION = 1, 202002, 0, "", "flowray"


class AggregationMethod:
    """How gradients that come from several places are added: all at once, or two at a time."""
    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2  # the same, as in TensorFlow 2


class VariableAggregation(_enum.Enum):
    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


class VariableSynchronization(_enum.Enum):
    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class UnconnectedGradients(_enum.Enum):
    """What gradients are where nothing flows."""
    NONE = "none"
    ZERO = "zero"


class ResizeMethod:
    """What tf.image.resize_images takes as its method."""
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


def executing_eagerly_outside_functions():
    """Whether operations that no function makes run at once."""
    return _native.executing_eagerly()


@_contextlib.contextmanager
def init_scope():
    """Makes nodes in the graph around functions that are being made, outside of control dependencies."""
    with _native._program_graph().as_default(), _native.control_dependencies(None):
        yield


def get_logger():
    """The logger that tf.logging writes to."""
    import logging
    return logging.getLogger("tensorflow")


