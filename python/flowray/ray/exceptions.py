"""What tasks, actors and the object store raise."""

import functools as _functools
import io as _io
import pickle as _pickle
import re as _re

# The names of Ray 2.60. What stands for several machines, compiled graphs or Ray's own processes is never raised here; it is there so that
# a program that catches it runs.
__all__ = """ActorAlreadyExistsError ActorDiedError ActorHandleNotFoundError ActorPlacementGroupRemoved ActorUnavailableError
    ActorUnschedulableError AsyncioActorExit AuthenticationError CrossLanguageError GetTimeoutError LocalRayletDiedError NodeDiedError
    ObjectFetchTimedOutError ObjectFreedError ObjectLostError ObjectReconstructionFailedError ObjectRefStreamEndOfStreamError
    ObjectStoreFullError OufOfBandObjectRefSerializationException OutOfDiskError OutOfMemoryError OwnerDiedError PendingCallsLimitExceeded
    PlasmaObjectNotAvailable RayActorError RayCgraphCapacityExceeded RayChannelError RayChannelTimeoutError RayDirectTransportError
    RayCancellationError RayError RaySystemError RayTaskError RayTimeoutError RayWorkerError ReferenceCountingAssertionError
    RpcError RuntimeEnvSetupError StreamingGeneratorReplayInconsistentError TaskCancelledError TaskPlacementGroupRemoved TaskUnschedulableError
    UnreconstructableError UnserializableException UserCodeException WorkerCrashedError""".split()


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
        self.args = (str(self),) if cause is None else (cause,)

    def __str__(self):
        return "ray::%s() (pid=%s)\n%s" % (self.function_name, self.pid, self.traceback_str.rstrip("\n"))

    def __reduce__(self):
        cause_type = self._cause_type if self.cause is None else None
        return _raised_in_task, (self.function_name, self.traceback_str, self.cause, self.pid, self._cause_class, cause_type)

    def as_instanceof_cause(self):
        """This error as one that is also of the cause's class."""
        return _raised_in_task(self.function_name, self.traceback_str, self.cause, self.pid, self._cause_class, self._cause_type)


_ENDS = (SystemExit, KeyboardInterrupt, GeneratorExit)  # what would end the driver is not raised in it


@_functools.lru_cache(maxsize=None)
def _class_with(cause_class):
    """RayTaskError(ValueError): of both classes."""
    if issubclass(RayTaskError, cause_class) or issubclass(cause_class, _ENDS):
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


def _made(kind):
    try:
        return kind.__new__(kind)
    except TypeError:  # MemoryError makes only what begins with it, and others ask for their arguments
        return RayTaskError.__new__(kind)


def _raised_in_task(function_name, traceback_str, cause, pid, cause_class, cause_type=None):
    cause_type = cause_type if cause is None else type(cause)
    kind = RayTaskError if cause_type is None else _class_with(cause_type)
    told = (function_name, traceback_str, cause, pid, cause_class, cause_type)
    try:
        is_group = hasattr(cause, "exceptions") and hasattr(kind, "derive")  # Python 3.11's ExceptionGroup asks for its parts when it is made
        error = kind.__new__(kind, cause.message, cause.exceptions) if is_group else _made(kind)
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


class ActorUnavailableError(RayActorError):
    """The actor cannot be reached for now."""

    def __init__(self, error_message, actor_id=None):
        super().__init__(error_message, actor_id)
        self.actor_id = actor_id.hex() if isinstance(actor_id, bytes) else actor_id

    def __str__(self):
        return "The actor %s is unavailable: %s. Whether the call has run is not known." % (self.actor_id, self.args[0])


class ActorAlreadyExistsError(ValueError, RayError):
    """Another actor has the name."""


class ActorHandleNotFoundError(ValueError, RayError):
    """A handle is of an actor that this runtime does not know."""


class ActorUnschedulableError(RayError):
    """The actor asks for more than there is."""


class TaskUnschedulableError(RayError):
    """The task asks for more than there is."""


class ActorPlacementGroupRemoved(RayError):
    """The placement group of an actor that had not begun was removed."""


class TaskPlacementGroupRemoved(RayError):
    """The placement group of a task that had not begun was removed."""


class AsyncioActorExit(RayError):
    """An actor with coroutines ends."""


class PendingCallsLimitExceeded(RayError):
    """An actor has as many calls before it as its option max_pending_calls lets it have."""


class WorkerCrashedError(RayError):
    """The process that ran a task ended before the task did."""


class LocalRayletDiedError(RayError):
    """Ray's process of this machine died."""


class NodeDiedError(RayError):
    """A machine died."""


class RaySystemError(RayError):
    """The runtime could not do what it was asked for; a value could not be unpickled where it was needed.

    Attributes:
        client_exc: what is told of it: a text, or the exception that unpickling raised.
        traceback_str: where that was raised; None elsewhere.
    """

    is_of_argument = False  # of a call that did not run for it

    def __init__(self, client_exc, traceback_str=None):
        super().__init__(*((client_exc,) if traceback_str is None else (client_exc, traceback_str)))
        self.client_exc, self.traceback_str = client_exc, traceback_str

    def __str__(self):
        where = "" if self.traceback_str is None else "\ntraceback: %s" % self.traceback_str
        return "System error: %s%s" % (self.client_exc, where)


class RayChannelError(RaySystemError):
    """A channel between actors failed."""


class RayChannelTimeoutError(RayChannelError, TimeoutError):
    """A channel between actors had nothing in time."""


class RayCgraphCapacityExceeded(RaySystemError):
    """A compiled graph has as many steps in flight as it may have."""


class RayDirectTransportError(RaySystemError):
    """A tensor did not get from one process to another."""


class StreamingGeneratorReplayInconsistentError(RaySystemError):
    """A generator that was run again gave something else."""


class ObjectLostError(RayError):
    """A value is lost."""

    def __init__(self, object_ref_hex, owner_address=None, call_site=""):
        super().__init__(object_ref_hex, owner_address, call_site)
        self.object_ref_hex, self.owner_address, self.call_site = object_ref_hex, owner_address, call_site

    def __str__(self):
        return "Failed to retrieve object %s. %s" % (self.object_ref_hex, type(self).__doc__)


class ObjectFetchTimedOutError(ObjectLostError):
    """A value did not come from another machine in time."""


class ObjectFreedError(ObjectLostError):
    """A value was freed by hand."""


class OwnerDiedError(ObjectLostError):
    """The process that made the reference is dead."""


class ReferenceCountingAssertionError(ObjectLostError, AssertionError):
    """A value was freed while a reference to it was there."""


class ObjectReconstructionFailedError(ObjectLostError):
    """A value is lost and cannot be made again."""

    def __init__(self, object_ref_hex, reason=None, reason_message=None, owner_address=None, call_site=""):
        super().__init__(object_ref_hex, owner_address, call_site)
        self.reason, self.reason_message = reason, reason_message
        self.args = (object_ref_hex, reason, reason_message, owner_address, call_site)

    def __str__(self):
        return self.reason_message or super().__str__()


class ObjectRefStreamEndOfStreamError(RayError):
    """A generator has nothing more to give."""


class ObjectStoreFullError(RayError):
    """The object store has no room."""


class OutOfDiskError(RayError):
    """The disk that takes what the object store has no room for is full, too."""


class OutOfMemoryError(RayError):
    """There is too little memory."""


class PlasmaObjectNotAvailable(RayError):
    """A value is not in the object store."""


class OufOfBandObjectRefSerializationException(RayError):
    """A reference was pickled where nobody counts it."""


class GetTimeoutError(RayError, TimeoutError):
    """A value was not there before the time given was over."""


class RuntimeEnvSetupError(RayError):
    """A runtime environment could not be made."""


class CrossLanguageError(RayError):
    """A call between languages failed."""


class UserCodeException(RayError):
    """A program's own code, which the runtime called, raised."""


class UnserializableException(RayError):
    """What a call raised could not be read where it was waited for."""


class AuthenticationError(RayError):
    """A cluster does not know the caller."""


class RpcError(RayError):
    """Ray's processes could not talk to each other."""

    def __init__(self, message, rpc_code=None):
        super().__init__(message, rpc_code)
        self.message, self.rpc_code = message, rpc_code

    def __str__(self):
        return str(self.message)


# Older names.
RayCancellationError = TaskCancelledError
RayTimeoutError = GetTimeoutError
RayWorkerError = WorkerCrashedError
UnreconstructableError = ObjectReconstructionFailedError


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


_CRASHED = 2
_KINDS = {4: RaySystemError, 5: RuntimeEnvSetupError, 6: GetTimeoutError,
          7: ObjectStoreFullError, 9: TaskCancelledError}

_OTHER, _GROUP_REMOVED = 8, _re.compile(r"The placement group( '.*')? was removed\.", _re.DOTALL)


def _no_runtime(is_of_parent):
    """What calls raise in a process without a runtime; whether it was forked from one that has one."""
    if is_of_parent:
        return RaySystemError("Ray runs in the process that this one was forked from, which alone can use it.\nCall ray.init() here for a runtime "
                              "of this process's own.")
    return RaySystemError("Ray has not been started yet. You can start Ray with 'ray.init()'.")


def _told_of_death(message, traceback_str):
    """Ray's sentence, then what is known of it."""
    is_of_constructor = "its constructor failed" in message.partition("\n")[0]
    what = "because of an error raised in its creation task" if is_of_constructor else "unexpectedly before finishing this task"
    message = message.replace("killed by Kill(", "killed by ray.kill(").replace("ray.kill(false)", "ray.kill(no_restart=False)")
    message = _re.sub(r"\n *a class of Python's \(process \d+\)", "", message)  # what the runtime calls all of them
    return "The actor died %s.\n%s%s" % (what, message, traceback_str and "\n" + traceback_str)


def _exception(kind, class_name, message, function, pid, stack, pickled):
    """The exception for an error of the runtime, by its number."""
    if kind == 0:
        return _task_error(class_name, message, function, pid, stack, pickled)
    if kind == 1:
        return ActorDiedError(_told_of_death(message, _parts_of(pickled)[2] if pickled else ""))
    if kind == _CRASHED:
        return WorkerCrashedError("The worker died unexpectedly while executing this task.\n" + message)
    if kind == 3:
        return ObjectReconstructionFailedError("", reason_message=message)
    if kind == _OTHER and _GROUP_REMOVED.fullmatch(message):
        return TaskPlacementGroupRemoved(message)
    return _KINDS.get(kind, RaySystemError)(message)
