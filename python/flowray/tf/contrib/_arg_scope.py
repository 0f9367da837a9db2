"""tf.contrib.framework.arg_scope: defaults for the arguments of functions, for as long as a scope is open."""

import contextlib as _contextlib
import functools as _functools
import inspect as _inspect
import threading as _threading

_scopes = _threading.local()  # .stack: {key of a function: {argument: value}} of each scope that is open
_names_of_arguments = {}  # of the functions that scopes know, by key


def _stack():
    if not hasattr(_scopes, "stack"):
        _scopes.stack = [{}]
    return _scopes.stack


def arg_scope_func_key(op):
    return getattr(op, "_key_op", str(op))


def current_arg_scope():
    """{key of a function: {argument: value}} of the innermost scope."""
    return _stack()[-1]


def has_arg_scope(func):
    """Whether add_arg_scope has been around the function."""
    return arg_scope_func_key(func) in _names_of_arguments


def arg_scoped_arguments(func):
    """The arguments that a scope may give."""
    assert has_arg_scope(func)
    return _names_of_arguments[arg_scope_func_key(func)]


def _with_defaults(scope, functions, arguments):
    """The scope with the arguments for these functions in it, too."""
    scope = dict(scope)
    for function in functions:
        key = arg_scope_func_key(function)
        if not has_arg_scope(function):
            raise ValueError("%s is not decorated with @add_arg_scope" % ((function.__module__, getattr(function, "__name__", key)),))
        scope[key] = {**scope.get(key, {}), **arguments}
    return scope


@_contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """While it is open, calls of the functions of the list have these arguments where they say no others. It gives the scope, which
    arg_scope opens again."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.")
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = _with_defaults(current_arg_scope(), list_ops_or_scope, kwargs)
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _stack().append(scope)
    try:
        yield scope
    finally:
        _stack().pop()


def add_arg_scope(func):
    """The function, to which a scope may give arguments."""
    @_functools.wraps(func)
    def with_scope(*args, **kwargs):
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})
    key = str(func)
    with_scope._key_op = key
    _names_of_arguments[key] = tuple(name for name, parameter in _inspect.signature(func).parameters.items()
                                     if parameter.default is not parameter.empty)
    return with_scope
