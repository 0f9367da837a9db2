"""flowray.tf: the dataflow language with TensorFlow 1's names.

Everything that decides something - names, scopes, shapes, gradients, errors - is C++ (flowray._native); here are names only.
"""

import sys as _sys
import types as _types

from flowray import _native
from flowray._native import DType, Graph, Operation, RunMetadata, Tensor, Variable, VariableScope
from flowray.tf import _generated, errors
from flowray.tf._shape import Dimension, TensorShape, unknown_shape

for _name in _native.dtype_names():
    globals()[_name] = _native.as_dtype(_name)
for _name in list(_native.dtype_names()):
    globals()[_name + "_ref"] = _native.as_dtype(_name)._as_ref
half, double = float16, float64  # noqa: F821
AUTO_REUSE = "auto_reuse"
newaxis = None
# Modules of their own, imported when they are used.
_MODULES = ("raw_ops", "contrib", "app", "flags", "compat", "python_io", "examples", "gfile", "logging", "graph_util", "resource_loader",
            "saved_model", "test", "keras", "feature_column", "autograph", "distributions", "sysconfig")


def _namespace(path):
    """The module flowray.tf.PATH, made where it is not there."""
    module = _sys.modules[__name__]
    for part in path.split(".") if path else ():
        name = module.__name__ + "." + part
        inner = module.__dict__.get(part)
        if inner is None:
            inner = _sys.modules.get(name)
        if inner is None:
            inner = _types.ModuleType(name)
            inner.__path__ = []
            _sys.modules[name] = inner
        setattr(module, part, inner)
        module = inner
    return module


_NativeFunction = type(_native.op)
_worded = {}  # functions with Python's words for wrong arguments, by the native one


def _with_python_words(function):
    if function not in _worded:
        _worded[function] = _native._with_python_words(function)
    return _worded[function]


def _function_of_native(module, name):
    """What a pickled function stands for: `name` of flowray._native or of a module below it."""
    value = _native
    for part in module.split(".")[2:] + [name]:
        value = getattr(value, part)
    return _with_python_words(value)



def _publish(endpoint, value):
    path, _, name = endpoint.rpartition(".")
    if path.partition(".")[0] in _MODULES:
        return
    there = _namespace(path).__dict__
    if type(value) is _NativeFunction and there.get(name) is not value:
        value = _with_python_words(value)
    if there.setdefault(name, value) is not value:
        raise ImportError("tf.%s is offered twice: as %r and as %r" % (endpoint, there[name], value))


def _provided(module, name):
    """What a row of a table names: `name` in `module`, which may have its place in another one."""
    value = globals()[module.partition(".")[0]]
    for part in module.split(".")[1:] + name.split("."):
        value = getattr(value, part)
    return value


from flowray.tf import (_accumulators, _checkpoint, _checkpoint_files, _cluster_resolver, _conversions, _coordinator, _csv_datasets, _ctc_labels, _datasets, _defun, _dtypes, _eager, _elements, _endpoints, _flow, _functions, _gradients, _graph_defs, _handle_methods, _image, _image_similarity, _initializers, _layers,  # noqa: E402,F401
                        _input_pipeline, _language, _linear_operators, _lookup, _loss_averages, _matrix_operators, _messages, _monitored_session, _nest, _operations, _operator_algebra, _parsing, _patterned_operators, _python_functions, _ragged, _raw_rnn, _space_to_batch,
                        _readers, _records, _rnn, _row_loops, _sequence_buckets, _session_manager, _session_run_hooks, _sparse, _specs, _splitting, _state_saving_rnn, _stateless, _switches, _sync_replicas,
                        _templates, _tensor_protos, _train, _variable_scopes, _warm_start, gfile)

for _endpoint, _module, _name in _endpoints.rows():
    _publish(_endpoint, _provided(_module, _name))
for _name, _others in _generated.FUNCTIONS.items():
    for _endpoint in _others:
        _publish(_endpoint, _provided("_native", _name))
for _endpoint, _value in _generated.ENDPOINTS.items():
    _publish(_endpoint, _value)
for _name in (*_native.dtype_names(), "half", "double"):
    _publish("dtypes." + _name, globals()[_name])


def __getattr__(name):
    if name in _MODULES:
        import importlib
        return importlib.import_module(__name__ + "." + name)
    if name in ("python", "core", "pywrap_tensorflow"):
        from flowray.tf import _inner
        return _inner.module("python." + name if name == "pywrap_tensorflow" else name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("module 'tensorflow' has no attribute %r that Flowray has, too" % name)
