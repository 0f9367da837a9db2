"""tf.py_func and tf.py_function: functions of the program as nodes of a graph, which run where the session is."""

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
    """Calls func(*inp) with NumPy's arrays when it runs; it gives arrays of the dtypes `Tout`. Where that is
    empty, it is an operation."""
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    is_list = isinstance(Tout, (list, tuple))
    kept = _Function(func, [_native.as_dtype(dtype) for dtype in (Tout if is_list else [Tout])], is_list)
    token = "pyfunc_%d" % next(_numbers)
    _functions[token] = kept
    _native._call_python_functions()
    outputs = _ops.PyFunc(input=list(inp), token=token, Tout=kept.dtypes, name=name)
    _keep(kept)
    return _outputs_or_operation(outputs, is_list)


def _outputs_or_operation(outputs, is_list):
    if not outputs:
        return _native.get_default_graph().get_operations()[-1]  # as TensorFlow: something to run, where nothing is fetched
    return outputs if is_list else outputs[0]


def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls func(*inp) with tensors that have values when it runs: operations in it run at once. It gives tensors, or what becomes some, of
    the dtypes `Tout`; none where that is an empty list. Gradients do not flow through it."""
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    if _native.executing_eagerly():
        return _eager_results(func, [_native.convert_to_tensor(value) for value in inp], Tout)
    is_list = isinstance(Tout, (list, tuple))
    dtypes = [_native.as_dtype(dtype) for dtype in (Tout if is_list else [Tout])]

    def eagerly(*arrays):
        with _native._eager_scope():
            results = _eager_results(func, [_native.convert_to_tensor(array) for array in arrays], Tout)
            return [result.numpy() for result in (results if is_list else [results])]
    kept = _Function(eagerly, dtypes, is_list)
    token = "pyfunc_%d" % next(_numbers)
    _functions[token] = kept
    _native._call_python_functions()
    outputs = _ops.EagerPyFunc(input=list(inp), token=token, Tout=dtypes, name=name)
    _keep(kept)
    return _outputs_or_operation(outputs, is_list)


def _eager_results(function, tensors, Tout):
    result = function(*tensors)
    if not isinstance(Tout, (list, tuple)):
        return _native.convert_to_tensor(result[0] if isinstance(result, (list, tuple)) else result, dtype=_native.as_dtype(Tout))
    results = [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
    if len(results) != len(Tout):
        raise ValueError("The function gives %d values, and Tout says %d" % (len(results), len(Tout)))
    return [_native.convert_to_tensor(value, dtype=_native.as_dtype(dtype)) for value, dtype in zip(results, Tout)]


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
