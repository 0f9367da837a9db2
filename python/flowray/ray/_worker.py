"""What runs in worker processes beside the program's own functions."""

import pickle
import sys
import traceback

from flowray import _native

functions = {}  # the functions and classes that calls have come for, by key
refs = {}       # where they were read from, for those that call them from here


def begin():
    """Before the first call: lets go of what the fork has brought along of the driver."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()  # or all workers would draw the same numbers
    if "flowray.tf" in sys.modules:
        _native.reset_default_graph()


def flush():
    stdout = sys.stdout
    if stdout is not None:
        stdout.flush()


def terminate(actor_id):
    """Ends this actor: nothing that was called later runs."""
    flush()
    _native._ray.kill_actor(actor_id, True)


def load(key, ref):
    """The function or class that `ref` refers to."""
    refs[key] = ref
    functions[key] = function = _native._ray.get_value(ref, None)
    return function


def name_of(function):
    return getattr(function, "__qualname__", None) or type(function).__name__


def name_of_constructor(kind):
    return name_of(kind) + ".__init__"


def several(value, num_returns):
    """What a function with `num_returns` has returned, as a list of so many."""
    if not isinstance(value, (list, tuple)):
        value = list(value)
    if len(value) != num_returns:
        raise ValueError("Task returned %d objects, but num_returns=%d." % (len(value), num_returns))
    return list(value)


def _own_frames(error):
    """The traceback without what called the program's function."""
    return traceback.TracebackException.from_exception(error)


def describe(error, function_name):
    """(class, message, pickle) of an exception that a call raised."""
    from flowray.ray import _pickling, exceptions
    text = "".join(_own_frames(error).format())
    header = "Traceback (most recent call last):\n"
    if text.startswith(header):
        text = text[len(header):]
    cause = error.cause if isinstance(error, exceptions.RayTaskError) else error
    class_name = error._cause_class if isinstance(error, exceptions.RayTaskError) else type(error).__name__
    try:
        cause = None if cause is None else _pickling.dumps_alone(cause)
    except Exception:  # noqa: BLE001: it is told of in words
        cause = None
    return class_name, str(error), pickle.dumps((cause, text, class_name))
