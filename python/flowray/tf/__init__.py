"""flowray.tf: the dataflow language with TensorFlow 1's names.

Everything that decides something - names, scopes, shapes, gradients, errors - is C++ (flowray._native); here are names only.
"""

import sys as _sys
import types as _types

from flowray import _native
from flowray._native import DType, Graph, GraphDef, Operation, RunMetadata, Tensor, Variable, VariableScope
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
_MODULES = ("raw_ops", "contrib", "app", "flags", "compat", "python", "python_io", "examples", "gfile", "logging", "graph_util",
            "resource_loader")


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


def _publish(endpoint, value):
    path, _, name = endpoint.rpartition(".")
    if path.partition(".")[0] in _MODULES:
        return
    module = _namespace(path)
    if name not in module.__dict__:
        setattr(module, name, _native._with_python_words(value) if type(value) is _NativeFunction else value)


def _publish_all():
    for native_name, endpoints in _generated.FUNCTIONS.items():
        value = _native
        for part in native_name.split("."):
            value = getattr(value, part)
        for endpoint in endpoints:
            _publish(endpoint, value)
    for endpoint, function in _generated.ENDPOINTS.items():
        _publish(endpoint, function)


from flowray.tf._language import *  # noqa: E402,F401,F403
from flowray.tf import (_composed, _conversions, _coordinator, _flow, _functions, _indexed_slices, _input_pipeline,  # noqa: E402
                         _layers, _monitored_session, _other_names, _parsing, _python_functions, _readers, _rnn, _row_loops,
                         _session_run_hooks, _specs, _switches, _tensor_protos, _train)

for _module in (_composed, _conversions, _coordinator, _flow, _functions, _indexed_slices, _input_pipeline, _layers, _monitored_session,
                _other_names, _parsing, _python_functions, _readers, _rnn, _row_loops, _session_run_hooks, _specs, _switches,
                _tensor_protos, _train):
    for _endpoint, _value in _module.ENDPOINTS.items():
        _publish(_endpoint, _value)
_publish_all()


def __getattr__(name):
    if name in _MODULES:
        import importlib
        return importlib.import_module(__name__ + "." + name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("module 'tensorflow' has no attribute %r that Flowray has, too" % name)
