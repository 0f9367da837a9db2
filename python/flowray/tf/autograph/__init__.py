"""tf.autograph: statements on tensors as a graph's; see docs/eager.md."""

import functools as _functools
import weakref as _weakref

from flowray.tf.autograph import experimental  # noqa: F401
from flowray.tf.autograph import _conversion

_warned_of = _weakref.WeakSet()  # codes


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The function with its statements on tensors as those of the graph that it is called in."""
    _refuse(recursive, experimental_optional_features, "to_graph")
    return _conversion.convert(entity)


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The source of that function."""
    _refuse(recursive, experimental_optional_features, "to_code")
    return _conversion.source_of(entity)


def _refuse(recursive, features, name):
    if not recursive or features is not None:
        raise NotImplementedError("tf.autograph.%s(recursive=False, experimental_optional_features=) is not there: functions that are called are "
                                  "converted, too" % name)


def converted(function):
    """The function converted where that can be done; else as it is, with a warning."""
    if not _conversion.is_convertible(function):
        return function
    try:
        return _conversion.convert(function)
    except _conversion.ConversionError as error:
        from flowray.tf import logging
        code = getattr(function, "__func__", function).__code__
        if code not in _warned_of:
            _warned_of.add(code)
            logging.warning("AutoGraph could not transform %s and will run it as-is.\nCause: %s", function, error)
        return function


def do_not_convert(func=None):
    """A function that stays as it is."""
    if func is None:
        return do_not_convert

    @_functools.wraps(func)
    def as_it_is(*args, **options):
        return func(*args, **options)
    as_it_is._is_not_converted = True
    return as_it_is
