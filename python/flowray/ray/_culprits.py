"""Which part of a value it is that does not pickle."""

import inspect
import types

import cloudpickle

_MOST_DEPTH = 20


def _parts(value):
    """(how it is reached, part) of what a pickle of `value` holds."""
    if isinstance(value, dict):
        yield from (("[%r]" % (key,), item) for key, item in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from (("[%d]" % i, item) for i, item in enumerate(value))
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
        yield ".__func__", value.__func__
    elif isinstance(value, types.FunctionType):
        closure = inspect.getclosurevars(value)
        yield from ((" -> the variable '%s' that it closes over" % name, item) for name, item in closure.nonlocals.items())
        yield from ((" -> the global '%s' that it uses" % name, item) for name, item in closure.globals.items())
        yield from ((" -> the default of an argument", item) for item in value.__defaults__ or ())
    elif isinstance(value, type):
        yield from ((".%s" % name, item) for name, item in vars(value).items() if not name.startswith("__") or callable(item))
    elif hasattr(value, "__dict__"):
        yield from ((".%s" % name, item) for name, item in vars(value).items())


def pickles(value):
    from flowray.ray._pickling import _Pickler, _thread
    outer, _thread.refs = _thread.refs, []
    try:
        import io
        _Pickler(io.BytesIO(), protocol=5, buffer_callback=lambda buffer: None).dump(value)
        return True
    except Exception:  # noqa: BLE001: whatever it is, it does not
        return False
    finally:
        _thread.refs = outer


def find(value, path, depth=_MOST_DEPTH, parent=None, seen=()):
    """The path to the innermost part that does not pickle, that part, and what holds it."""
    if depth > 0 and id(value) not in seen:
        for step, part in _parts(value):
            if not pickles(part):
                return find(part, path + step, depth - 1, value, (*seen, id(value)))
    return path, value, parent


def name_of(value):
    return getattr(value, "__qualname__", None) or "the value, a %s" % type(value).__name__


def explained(value, error):
    """The error, with the way to what does not pickle where that is a part of the value."""
    try:
        path, culprit, _ = find(value, name_of(value))
        text = "%s\nWhat cannot be sent is %s: %s" % (error, path, shown(culprit))
    except Exception:  # noqa: BLE001: of looking, which must not hide the error
        return error
    kind = TypeError if isinstance(error, (TypeError, cloudpickle.pickle.PicklingError)) else type(error)
    try:
        return kind(text)
    except Exception:  # noqa: BLE001: a class of the program's that wants more
        return TypeError(text)


def shown(value):
    text = repr(value)
    return "%s (%s)" % (text if len(text) <= 200 else text[:200] + "...", type(value).__name__)
