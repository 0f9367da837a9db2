"""What tasks, actors and the object store raise."""

import functools as _functools
import pickle as _pickle

__all__ = ["ActorDiedError", "ActorUnschedulableError", "CrossLanguageError", "GetTimeoutError", "ObjectLostError",
           "ObjectStoreFullError", "OutOfMemoryError", "RayActorError", "RayError", "RaySystemError", "RayTaskError",
           "RuntimeEnvSetupError", "TaskCancelledError", "UnreconstructableError", "WorkerCrashedError"]


class RayError(Exception):
    """The root of all errors of tasks and actors."""


class RayTaskError(RayError):
    """A task or a method of an actor raised.

    What `ray.get` raises is of this class and of that of the exception, too, so that `except ValueError` finds it.

    Attributes:
        cause: the exception, or None where it could not be sent.
        function_name, pid: where it was raised.
        traceback_str: the lines that ran there.
    """

    def __init__(self, function_name, traceback_str, cause=None, pid=None, cause_class=None):
        self.function_name, self.traceback_str, self.cause, self.pid = function_name, traceback_str, cause, pid
        self._cause_class = cause_class or type(cause).__name__
        self.args = (str(self),)

    def __str__(self):
        return "ray::%s() (pid=%s)\n%s" % (self.function_name, self.pid, self.traceback_str.rstrip("\n"))

    def __reduce__(self):
        return _raised_in_task, (self.function_name, self.traceback_str, self.cause, self.pid, self._cause_class)

    def as_instanceof_cause(self):
        """This error as one that is also of the cause's class."""
        return _raised_in_task(self.function_name, self.traceback_str, self.cause, self.pid, self._cause_class)


@_functools.lru_cache(maxsize=None)
def _class_with(cause_class):
    """RayTaskError(ValueError): of both classes."""
    if issubclass(RayTaskError, cause_class) or not issubclass(cause_class, Exception):  # the driver's exit is another matter
        return RayTaskError

    def __getattr__(self, name):  # noqa: N807: what the cause has, its error has
        if name == "cause":
            raise AttributeError(name)
        return getattr(self.cause, name)

    names = {"__module__": __name__, "__init__": RayTaskError.__init__, "__str__": RayTaskError.__str__,
             "__reduce__": RayTaskError.__reduce__, "__getattr__": __getattr__}
    name = "RayTaskError(%s)" % cause_class.__name__
    try:
        return type(name, (RayTaskError, cause_class), names)
    except TypeError:  # a class that lets nobody inherit from it, and from another
        return RayTaskError


def _raised_in_task(function_name, traceback_str, cause, pid, cause_class):
    kind = RayTaskError if cause is None else _class_with(type(cause))
    try:
        error = kind.__new__(kind)
        error.__init__(function_name, traceback_str, cause, pid, cause_class)
    except Exception:  # noqa: BLE001: a class whose making asks for more
        error = RayTaskError(function_name, traceback_str, cause, pid, cause_class)
    return error


class TaskCancelledError(RayError):
    """The task was cancelled."""


class RayActorError(RayError):
    """The actor is dead: it was killed, its process ended, or its constructor raised."""


class ActorDiedError(RayActorError):
    """The actor is dead, for good."""


class ActorUnschedulableError(RayError):
    """The actor asks for more than there is."""


class WorkerCrashedError(RayError):
    """The process that ran a task ended before the task did."""


class RaySystemError(RayError):
    """The runtime could not do what it was asked for."""


class ObjectLostError(RayError):
    """A value is lost and cannot be made again."""


class UnreconstructableError(ObjectLostError):
    """The same under its older name."""


class ObjectStoreFullError(RayError):
    """The object store has no room."""


class OutOfMemoryError(RayError):
    """There is too little memory."""


class GetTimeoutError(RayError, TimeoutError):
    """A value was not there before the time given was over."""


class RuntimeEnvSetupError(RayError):
    """A runtime environment could not be made."""


class CrossLanguageError(RayError):
    """A call between languages failed."""


def _load_cause(pickled):
    """(exception or None, traceback, class name) of what a worker sent with its error."""
    if not pickled:
        return None, None, None
    cause, text, class_name = _pickle.loads(pickled)
    try:
        return None if cause is None else _pickle.loads(cause), text, class_name
    except Exception:  # noqa: BLE001: its class is not here, or is not made of its args
        return None, text, class_name


def _task_error(class_name, message, function, pid, stack, pickled):
    cause, text, cause_class = _load_cause(pickled)
    if text is None:  # of C++
        text = "%s: %s\n%s" % (class_name, message, stack) if class_name else message
    return _raised_in_task(function, text, cause, pid, cause_class or class_name)


_KINDS = {2: WorkerCrashedError, 3: ObjectLostError, 4: RaySystemError, 5: RuntimeEnvSetupError, 6: GetTimeoutError,
          7: ObjectStoreFullError}


def _exception(kind, class_name, message, function, pid, stack, pickled):
    """The exception for an error of the runtime, by its number."""
    if kind == 0:
        return _task_error(class_name, message, function, pid, stack, pickled)
    if kind == 1:
        text = _load_cause(pickled)[1]
        return ActorDiedError(message if text is None else "%s\n%s" % (message, text))
    return _KINDS.get(kind, RaySystemError)(message)
