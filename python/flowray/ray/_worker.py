"""What runs in worker processes beside the program's own functions."""

import importlib
import inspect
import os
import pickle
import signal
import sys
import threading
import traceback

from flowray import _native
from flowray.ray import _output, _pickling, _remote, _runtime
from flowray.ray._generator import DynamicObjectRefGenerator

functions = {}  # the functions and classes that calls have come for, by key: those that were read last
_sizes = {}     # of those, in bytes
_keeping = threading.Lock()
_MOST_FUNCTIONS = 1000
_MOST_BYTES = 64 << 20  # with what they close over; the last one may be larger
terms = None    # what the task that runs was given, or what the actor was that this process is


def set_terms(given):
    """Whether it is an actor with threads."""
    global terms
    terms = given
    _runtime.state.captured = given["group"] if given is not None and given.get("captures") else 0
    _runtime.state.env_vars = (given or {}).get("env_vars", {})
    return given is not None and given.get("threads", 1) > 1


_terms_of_actors = {}  # in local mode, by their ids


def set_terms_of_actor(actor_id, given):
    """Of one that is being made, in local mode."""
    _terms_of_actors[actor_id] = given


def terms_of_actor(actor_id):
    """Of one whose method is called, in local mode."""
    return _terms_of_actors.get(actor_id)


def terms_here():
    """What give_back_terms takes."""
    return terms, _runtime.state.captured, _runtime.state.env_vars


def give_back_terms(kept):
    global terms
    terms, _runtime.state.captured, _runtime.state.env_vars = kept


are_gpus_named = False  # the driver's CUDA_VISIBLE_DEVICES names them


def see_gpus(visible):
    """os.environ as the process's environment is: None, the variable is not set."""
    if visible is None:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible


def see_variable(name, value):
    """The same of any variable."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def begin():
    """Before the first call: lets go of what the fork has brought along of the driver."""
    global are_gpus_named
    are_gpus_named = "CUDA_VISIBLE_DEVICES" in os.environ
    _output.begin()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGURG, _on_interrupt)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()  # or all workers would draw the same numbers
    if "flowray.tf" in sys.modules:
        _native.reset_default_graph()


_told_call = None  # the last one that heard of it


def _on_interrupt(signum, frame):
    """The runtime asks, more than once, to look whether the call that runs here is wanted no more; as Ray does, a task hears of it as of ^C."""
    global _told_call
    if _native._ray.is_cancelled() and _told_call != (call := _native._ray.current_call()[0]):
        _told_call = call
        raise KeyboardInterrupt


flush = _output.flush


_ended = threading.Condition()


def one_has_ended():
    with _ended:
        _ended.notify_all()


def terminate(actor_id):
    """Ends this actor when the calls that were made before are done: nothing that was called later runs."""
    ray = _native._ray
    ray.tell_of_ends(True)
    with _ended:
        while ray.num_running() > 1:  # in other threads
            _ended.wait()
    end_actor(actor_id)


def method_of_all(actor, name):
    """A method that all actors have."""
    if name == "__ray_terminate__":
        return terminate
    if name == "__ray_ready__":
        return lambda: True
    if name == "__ray_call__":
        return lambda function, *args, **kwargs: function(actor, *args, **kwargs)
    return getattr(actor, name)


def end_actor(actor_id):
    flush()
    _native._ray.kill_actor(actor_id, True)


def leave(error):
    """What sys.exit() does in a call, as in Ray: the process ends. An actor has ended itself where the code is 0, and has died else, as a task
    always has."""
    own = _native._ray.own_actor()
    if isinstance(error.code, str):
        print(error.code, file=sys.stderr)
    if own and error.code == 0:
        end_actor(own)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(error.code & 0xFF if isinstance(error.code, int) else 1)


def load(key, ref):
    """The function or class of that key, which `ref` refers to, alone or with others."""
    from flowray.ray.exceptions import RaySystemError
    with _pickling.counting_bytes() as num_bytes:
        try:
            found = _remote.read(key, ref)
        except RaySystemError as error:
            if error.traceback_str is None:
                raise
            raise RuntimeError(_not_imported(error.traceback_str)) from None
        _keep(found, num_bytes())
    return found[key]


def _not_imported(where):
    what = "actor with name %s" % terms["class"] if terms and "class" in terms else "remote function"
    return ("The %s failed to import on the worker. This may be because needed library dependencies are not installed in the worker "
            "environment or cannot be found from sys.path %s:\n\n%s" % (what, sys.path, where))


def _keep(found, num_bytes):
    """Lets those go that were read first: a call of theirs reads them anew."""
    with _keeping:
        for key, function in found.items():
            functions.pop(key, None)
            functions[key], _sizes[key] = function, num_bytes // len(found)
        total = sum(_sizes.values())
        while len(functions) > len(found) and (len(functions) > _MOST_FUNCTIONS or total > _MOST_BYTES):
            oldest = next(iter(functions))
            del functions[oldest]
            total -= _sizes.pop(oldest)


def forget_functions():
    """Of an earlier runtime of this process."""
    with _keeping:
        functions.clear()
        _sizes.clear()
        _terms_of_actors.clear()


def load_by_name(name):
    """The function or class that C++ calls "module:name"."""
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    value = getattr(found, "_exported", None)  # @ray.remote made something of it
    function = found if value is None else value.value
    _keep({name: function}, 0)
    return function


def name_of(function):
    return getattr(function, "__qualname__", None) or type(function).__name__


def name_of_constructor(kind):
    return name_of(kind) + ".__init__"


def shown_name(actor):
    """What its output is shown with where its class has a __repr__; None else: the class's name."""
    return None if type(actor).__repr__ is object.__repr__ else repr(actor)


def give(values, call):
    """Hands out what a generator yields, each at once; None at its end."""
    ray = _native._ray
    for index, value in enumerate(values):
        ray.give_item(call, index, value)
        ray.wait_to_give(call, index + 1)


def all_given(values, name):
    """What a generator with num_returns="dynamic" returns when it has ended: references to all that it has yielded. What it raises is what
    the last of them stands for."""
    if not inspect.isgenerator(values):
        raise ValueError("Functions with num_returns='dynamic' must return a generator. '%s' has returned a %s."
                         % (name, type(values).__name__))
    ray, refs = _native._ray, []
    try:
        for value in values:
            refs.append(ray.put(value))
    except Exception as error:  # noqa: BLE001: it is the caller's
        refs.append(ray.put_error(error, name))
    return DynamicObjectRefGenerator(refs)


def several(value, num_returns):
    """What a function with `num_returns` has returned, as a list of so many."""
    if not isinstance(value, (list, tuple)):
        value = list(value)
    if len(value) != num_returns:
        raise ValueError("Task returned %d objects, but num_returns=%d." % (len(value), num_returns))
    return list(value)


_OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def without_own_frames(error):
    """The traceback, without those of this package where nothing of the program's ran, as of a result that cannot be sent, and without
    those that have called the program's, as the event loop does."""
    told = traceback.TracebackException.from_exception(error)
    if all(frame.filename.startswith(_OWN_FOLDER) for frame in told.stack):
        told.stack.clear()
        cause = told.__cause__
        if cause is not None and cause.stack and cause.stack[0].filename.startswith(_OWN_FOLDER):
            told.__cause__, told.__suppress_context__ = None, True
    while told.stack and told.stack[0].filename.startswith(_OWN_FOLDER):
        del told.stack[0]
    return told


def _message_of(error):
    """What str() says; an exception may fail at that."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001
        return "<exception str() failed>"


# What is kept of an error that is too long to ride in messages, as calls that depend on it get it: src/ray/owner/error_value.cpp.
_MOST_KEPT = 4000


def _pickled(value):
    """None for what does not pickle: it is told of in words."""
    try:
        return None if value is None else _pickling.dumps_alone(value)
    except Exception:  # noqa: BLE001
        return None


def _short_class(kind):
    """The pickle of the class, or of the first of its bases that is short."""
    for base in kind.__mro__ if kind is not None else ():
        pickled = _pickled(base)
        if pickled is not None and len(pickled) < _MOST_KEPT // 2:
            return pickled
    return None


def _shortened(text, most):
    return text if len(text) <= most else "%s\n... (%d more letters) ...\n%s" % (text[:most // 4], len(text) - most, text[-(most * 3 // 4):])


def describe(error, function_name):
    """(class, message, pickle, traceback for C++) of an exception that a call raised.

    The pickle is of (the exception's pickle, its class's pickle, the traceback, its class's name). Before a long one stands one of what is
    kept of it, without the exception.
    """
    from flowray.ray import exceptions
    text = "".join(without_own_frames(error).format())
    header = "Traceback (most recent call last):\n"
    if text.startswith(header):
        text = text[len(header):]
    if isinstance(error, exceptions.RaySystemError) and error.is_of_argument:
        text = "  At least one of the input arguments for this task could not be computed:\nray.exceptions.RaySystemError: %s" % error
    cause, class_name, kind = error, type(error).__name__, type(error)
    if isinstance(error, exceptions.RayTaskError):
        cause, class_name, kind = error.cause, error._cause_class, error._cause_type
    cause = _pickled(cause)
    short_class = _short_class(kind)
    pickled = pickle.dumps((cause, short_class, text, class_name))
    if len(pickled) > _MOST_KEPT:
        pickled = pickle.dumps((None, short_class, _shortened(text, 1000), class_name[:200])) + pickled
    return class_name, _message_of(error), pickled, _shortened(text.rstrip(), 4000)
