"""What tasks, actors and the object store raise."""

import functools as _functools
import io as _io
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

    def __init__(self, function_name, traceback_str, cause=None, pid=None, cause_class=None, cause_type=None):
        self.function_name, self.traceback_str, self.cause, self.pid = function_name, traceback_str, cause, pid
        self._cause_class = cause_class or type(cause).__name__
        self._cause_type = cause_type if cause is None else type(cause)
        self.args = (str(self),)

    def __str__(self):
        return "ray::%s() (pid=%s)\n%s" % (self.function_name, self.pid, self.traceback_str.rstrip("\n"))

    def __reduce__(self):
        cause_type = self._cause_type if self.cause is None else None
        return _raised_in_task, (self.function_name, self.traceback_str, self.cause, self.pid, self._cause_class, cause_type)

    def as_instanceof_cause(self):
        """This error as one that is also of the cause's class."""
        return _raised_in_task(self.function_name, self.traceback_str, self.cause, self.pid, self._cause_class, self._cause_type)


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


def _raised_in_task(function_name, traceback_str, cause, pid, cause_class, cause_type=None):
    cause_type = cause_type if cause is None else type(cause)
    kind = RayTaskError if cause_type is None else _class_with(cause_type)
    told = (function_name, traceback_str, cause, pid, cause_class, cause_type)
    try:
        error = kind.__new__(kind)
        error.__init__(*told)
    except Exception:  # noqa: BLE001: a class whose making asks for more
        error = RayTaskError(*told)
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


def _parts_of(pickled):
    """What a worker sent with its error; the short form of it where the whole was too long to go on (_worker.describe)."""
    file = _io.BytesIO(pickled)
    parts = _pickle.load(file)
    if file.tell() < len(pickled):
        try:
            return _pickle.load(file)
        except (EOFError, _pickle.UnpicklingError):
            pass
    return parts


def _loaded(pickled):
    """None for what is not here, as a class of a module that is not, or is not made of its args."""
    try:
        return None if pickled is None else _pickle.loads(pickled)
    except Exception:  # noqa: BLE001
        return None


_CLASSES_OF_CPP = {
    "flowray::ValueError": ValueError, "flowray::TypeError": TypeError, "flowray::KeyError": KeyError, "flowray::IndexError": IndexError,
    "flowray::RuntimeError": RuntimeError, "std::invalid_argument": ValueError, "std::domain_error": ValueError,
    "std::length_error": ValueError, "std::out_of_range": IndexError, "std::overflow_error": OverflowError,
    "std::runtime_error": RuntimeError, "std::logic_error": RuntimeError, "std::bad_alloc": MemoryError}


def _task_error(class_name, message, function, pid, stack, pickled):
    if not pickled:  # of C++
        text = "%s: %s\n%s" % (class_name, message, stack) if class_name else message
        return _raised_in_task(function, text, None, pid, class_name, _CLASSES_OF_CPP.get(class_name))
    cause, cause_type, text, cause_class = _parts_of(pickled)
    return _raised_in_task(function, text, _loaded(cause), pid, cause_class, _loaded(cause_type))


_KINDS = {2: WorkerCrashedError, 3: ObjectLostError, 4: RaySystemError, 5: RuntimeEnvSetupError, 6: GetTimeoutError,
          7: ObjectStoreFullError, 9: TaskCancelledError}


def _exception(kind, class_name, message, function, pid, stack, pickled):
    """The exception for an error of the runtime, by its number."""
    if kind == 0:
        return _task_error(class_name, message, function, pid, stack, pickled)
    if kind == 1:
        return ActorDiedError("%s\n%s" % (message, _parts_of(pickled)[2]) if pickled else message)
    return _KINDS.get(kind, RaySystemError)(message)
