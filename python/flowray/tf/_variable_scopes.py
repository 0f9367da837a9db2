"""Variable scopes with custom getters: functions of the program that stand between tf.get_variable and the variables. What a scope has
else is the language's."""

import functools
import threading

from flowray import _native

_here = threading.local()  # .getter: what get_variable goes through in this thread


def _current():
    return getattr(_here, "getter", None)


def _set(getter):
    _here.getter = getter
    _native._set_custom_getter(getter)


class _Maker:
    """What a custom getter calls to have the variable."""

    def __init__(self, maker):
        self._maker = maker

    def __call__(self, name, shape=None, dtype=None, initializer=None, regularizer=None, reuse=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, constraint=None, synchronization=None,
                 aggregation=None):
        _native._refuse(partitioner, "tf.get_variable", "partitioner")
        return self._maker(name, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device, validate_shape,
                           use_resource, constraint)


def ask(function, maker, name, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device, validate_shape,
        use_resource, constraint):
    """What the custom getter gives."""
    scope = _native.get_variable_scope()
    return function(getter=_Maker(maker), name=name, shape=shape, dtype=scope.dtype if dtype is None else dtype,
                    initializer=initializer, regularizer=regularizer, reuse=reuse, trainable=trainable, collections=collections,
                    caching_device=caching_device, partitioner=None, validate_shape=validate_shape, use_resource=use_resource,
                    constraint=constraint, synchronization=None, aggregation=None)


def _around(getter, outer):
    """A getter whose own getter is the one of the scope around."""
    if getter is None or outer is None:
        return outer if getter is None else getter

    own = getter

    def both(getter, *arguments, **named):
        return own(functools.partial(outer, getter), *arguments, **named)
    return both


class _Scope:
    """A variable scope in which get_variable goes through `getter`, or through none."""

    def __init__(self, scope, getter):
        self._scope, self._getter, self._before = scope, getter, []

    def __enter__(self):
        entered = self._scope.__enter__()
        entered._custom_getter = self._getter
        self._before.append(_current())
        _set(self._getter)
        return entered

    def __exit__(self, *exception):
        _set(self._before.pop())
        return self._scope.__exit__(*exception)


def variable_scope(name_or_scope, default_name=None, values=None, initializer=None, regularizer=None, caching_device=None,
                   partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None,
                   auxiliary_name_scope=True):
    """Variables of get_variable made meanwhile are named, and shared, by the scope."""
    scope = _native.variable_scope(name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, None,
                                   reuse, dtype, use_resource, constraint, auxiliary_name_scope)
    is_entered_again = isinstance(name_or_scope, _native.VariableScope)
    outer = getattr(name_or_scope, "_custom_getter", None) if is_entered_again else _current()
    getter = _around(custom_getter, outer)
    return scope if getter is None and _current() is None else _Scope(scope, getter)


def variable_op_scope(values, name_or_scope, default_name=None, initializer=None, regularizer=None, caching_device=None,
                      partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None):
    """tf.variable_scope with its arguments in an older order."""
    return variable_scope(name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter,
                          reuse, dtype, use_resource, constraint)


def get_variable_scope():
    """The innermost open scope."""
    scope = _native.get_variable_scope()
    if _current() is not None:
        scope._custom_getter = _current()
    return scope


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None,
                 synchronization=None, aggregation=None):
    """The variable of this name in the scope that is open: made, or found where the scope reuses."""
    arguments = (name, shape, dtype, initializer, regularizer, trainable, collections, caching_device, partitioner, validate_shape,
                 use_resource, None, constraint, synchronization, aggregation)
    if custom_getter is None:
        return _native.get_variable(*arguments)
    before = _current()
    _set(custom_getter)
    try:
        return _native.get_variable(*arguments)
    finally:
        _set(before)


_native.VariableScope.custom_getter = property(lambda self: getattr(self, "_custom_getter", None))
