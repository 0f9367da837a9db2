"""Variable scopes with custom getters: functions of the program that stand between tf.get_variable and the variables. What a scope has
else is the language's."""

import contextlib
import functools
import inspect
import threading

from flowray import _native
from flowray.tf._variable_identity import the_object_of

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
        return the_object_of(self._maker(name, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device,
                                         partitioner, validate_shape, use_resource, constraint, synchronization, aggregation))


def ask(function, maker, name, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device, partitioner,
        validate_shape, use_resource, constraint, synchronization, aggregation):
    """What the custom getter gives."""
    scope = _native.get_variable_scope()
    return function(getter=_Maker(maker), name=name, shape=shape, dtype=scope.dtype if dtype is None else dtype,
                    initializer=initializer, regularizer=regularizer, reuse=reuse, trainable=trainable, collections=collections,
                    caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource,
                    constraint=constraint, synchronization=synchronization, aggregation=aggregation)


def _around(getter, outer):
    """A getter whose own getter is the one of the scope around."""
    if getter is None or outer is None:
        return outer if getter is None else getter

    own = getter

    def both(getter, *arguments, **named):
        return own(functools.partial(outer, getter), *arguments, **named)
    return both


@contextlib.contextmanager
def through(getter):
    """get_variable goes through this custom getter, and then through the scope's."""
    before = _current()
    _set(_around(getter, before))
    try:
        yield
    finally:
        _set(before)


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
        return the_object_of(_native.get_variable(*arguments))
    before = _current()
    _set(custom_getter)
    try:
        return the_object_of(_native.get_variable(*arguments))
    finally:
        _set(before)


class SaveSliceInfo:
    """Which part of a variable another one is: checkpoints keep it under the name of the whole."""

    def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None, save_slice_info_def=None, import_scope=None):
        _native._refuse(save_slice_info_def, "tf.Variable.SaveSliceInfo", "save_slice_info_def")
        _native._refuse(import_scope, "tf.Variable.SaveSliceInfo", "import_scope")
        self.full_name, self.full_shape, self.var_offset, self.var_shape = full_name, full_shape, var_offset, var_shape

    @property
    def spec(self):
        """As ops that save and restore take it."""
        parts = ":".join("%d,%d" % pair for pair in zip(self.var_offset, self.var_shape))
        return " ".join([*map(str, self.full_shape), parts])


class PartitionInfo:
    """What an initializer is told of the variable whose part it makes."""

    def __init__(self, full_shape, var_offset):
        self.full_shape, self.var_offset = full_shape, var_offset

    def single_slice_dim(self, shape):
        """The dimension that is cut; None where none is."""
        if len(shape) != len(self.full_shape):
            raise ValueError("Expected equal length, but received shape={} of length {} while self.full_shape={} is of length {}.".format(
                shape, len(shape), self.full_shape, len(self.full_shape)))
        cut = [i for i, size in enumerate(shape) if size != self.full_shape[i]]
        if len(cut) > 1:
            raise ValueError("Cannot use single_slice_dim() with shape={} and self.full_shape={} since slice dim could be either dimension "
                             "{} or {}.".format(shape, self.full_shape, cut[1], cut[0]))
        return cut[0] if cut else None

    def single_offset(self, shape):
        """Where the part begins in the dimension that is cut."""
        cut = self.single_slice_dim(shape)
        return 0 if cut is None else self.var_offset[cut]


def takes_partition_info(function):
    """Whether an initializer of the program's is to be told of the whole."""
    try:
        return "partition_info" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _set_custom_getter(self, custom_getter):
    """What get_variable goes through in the scope from now on."""
    self._custom_getter = custom_getter
    if _native.get_variable_scope().name == self.name:
        _set(custom_getter)


_native.Variable.SaveSliceInfo = SaveSliceInfo
_native.VariableScope.set_custom_getter = _set_custom_getter
_native.VariableScope.custom_getter = property(lambda self: getattr(self, "_custom_getter", None))
