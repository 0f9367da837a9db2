"""tensorflow.python.util.tf_decorator: decorators that know what they decorate."""

import functools as _functools


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """`decorator_func` by the name of `target`."""
    return _functools.update_wrapper(decorator_func, target)


def unwrap(maybe_tf_decorator):
    """(the decorators from the outermost inwards, what they decorate)"""
    decorators, target = [], maybe_tf_decorator
    while hasattr(target, "__wrapped__"):
        decorators.append(target)
        target = target.__wrapped__
    return decorators, target
