"""tf.errors: an exception for each of TensorFlow's codes."""

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """What a step, or an operation in it, raises."""

    def __init__(self, node_def, op, message, error_code=UNKNOWN, *payloads):
        super().__init__(node_def, op, message, error_code)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    @property
    def message(self):
        return self._message

    @property
    def op(self):
        return self._op

    @property
    def node_def(self):
        return self._node_def

    @property
    def error_code(self):
        return self._error_code

    def __str__(self):
        return self._message


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor was used as if it had a value: as a condition, or gone through in a loop."""


_CLASSES = {}


def _define(name, code, text):
    def __init__(self, node_def, op, message, *payloads):
        OpError.__init__(self, node_def, op, message, code)

    def __reduce__(self):
        return type(self), (self._node_def, None, self._message)

    made = type(name, (OpError,), {"__init__": __init__, "__reduce__": __reduce__, "__doc__": text, "__module__": __name__})
    _CLASSES[code] = made
    globals()[name] = made


_define("CancelledError", CANCELLED, "The step was ended from outside, as by closing its queue or session.")
_define("UnknownError", UNKNOWN, "An error of no known kind.")
_define("InvalidArgumentError", INVALID_ARGUMENT, "An operation got a value that it cannot work with.")
_define("DeadlineExceededError", DEADLINE_EXCEEDED, "The step's time was up.")
_define("NotFoundError", NOT_FOUND, "A file, or a key in one, is not there.")
_define("AlreadyExistsError", ALREADY_EXISTS, "What should be made is there already.")
_define("PermissionDeniedError", PERMISSION_DENIED, "The system does not permit it.")
_define("UnauthenticatedError", UNAUTHENTICATED, "The request carries no valid credentials.")
_define("ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory, or the disk, is full.")
_define("FailedPreconditionError", FAILED_PRECONDITION, "The state does not allow it: a variable that was not initialized.")
_define("AbortedError", ABORTED, "The operation was ended, as by another one at the same time.")
_define("OutOfRangeError", OUT_OF_RANGE, "The end is reached: of a dataset, a file, a closed queue.")
_define("UnimplementedError", UNIMPLEMENTED, "There is no such operation, or not for these dtypes.")
_define("InternalError", INTERNAL, "Something that always holds does not: a bug.")
_define("UnavailableError", UNAVAILABLE, "A server cannot be reached.")
_define("DataLossError", DATA_LOSS, "Data that was read is damaged.")


def exception_type_from_error_code(error_code):
    return _CLASSES[error_code]


def error_code_from_exception_type(cls):
    for code, known in _CLASSES.items():
        if cls is known:
            return code
    return None
