"""tf.py_func: functions of the program as nodes of a graph, which run where the session is."""

import itertools as _itertools
import weakref as _weakref

from flowray import _native
from flowray.tf import _generated as _ops
from flowray.tf import errors as _errors

_numbers = _itertools.count()
_functions = _weakref.WeakValueDictionary()  # by token; the graph keeps what its nodes call


class _Function:
    def __init__(self, function, dtypes, is_list):
        self.function, self.dtypes, self.is_list = function, dtypes, is_list


def py_func(func, inp, Tout, stateful=True, name=None):
    """Calls func(*inp) with NumPy's arrays when it runs; it gives arrays of the dtypes `Tout`."""
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    is_list = isinstance(Tout, (list, tuple))
    kept = _Function(func, [_native.as_dtype(dtype) for dtype in (Tout if is_list else [Tout])], is_list)
    token = "pyfunc_%d" % next(_numbers)
    _functions[token] = kept
    _native._call_python_functions()
    outputs = _ops.PyFunc(input=list(inp), token=token, Tout=kept.dtypes, name=name)
    _keep(kept)
    return outputs if is_list else outputs[0]


def _keep(function):
    graph = _native._program_graph()
    graph._collections.setdefault("_python_functions", []).append(function)


def _values_of(function, arguments):
    import numpy as np
    result = function.function(*arguments)
    results = [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(value, dtype.as_numpy_dtype) if value is None or dtype == _native.as_dtype("string") else np.asarray(value)
            for value, dtype in zip(results, function.dtypes)] + results[len(function.dtypes):]


def call(token, arguments):
    """(None, values), or (code, text) for what the function raised."""
    function = _functions.get(token)
    if function is None:
        return _errors.INVALID_ARGUMENT, f"ValueError: callback {token} is not found"
    try:
        return None, _values_of(function, arguments)
    except Exception as error:  # noqa: BLE001: it becomes the step's error
        for kind, code in ((StopIteration, _errors.OUT_OF_RANGE), (MemoryError, _errors.RESOURCE_EXHAUSTED),
                           (NotImplementedError, _errors.UNIMPLEMENTED), ((TypeError, ValueError), _errors.INVALID_ARGUMENT)):
            if isinstance(error, kind):
                break
        else:
            code = _errors.UNKNOWN
        import traceback
        return code, f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
