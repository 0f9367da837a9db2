"""tensorflow.python.util.function_utils: the arguments of functions."""

import functools as _functools
import inspect as _inspect


def fn_args(fn):
    """The names of its arguments, without those of a method's object and those that a partial function has."""
    if isinstance(fn, _functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args):] if name not in fn.keywords)
    if hasattr(fn, "__call__") and not _inspect.isroutine(fn) and not _inspect.isclass(fn):
        fn = fn.__call__
    names = _inspect.getfullargspec(fn).args
    return tuple(names[1:] if _inspect.ismethod(fn) else names)


def has_kwargs(fn):
    return _inspect.getfullargspec(fn).varkw is not None


def get_func_name(func):
    return getattr(func, "__name__", None) or get_func_name(getattr(func, "func", type(func)))
