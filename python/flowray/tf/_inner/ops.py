"""What tensorflow.python.framework.ops has beside the public names."""

from flowray import _native


def internal_convert_to_tensor(value, dtype=None, name=None, as_ref=False, preferred_dtype=None, **other):
    """tf.convert_to_tensor by an older name; a variable gives its reference where one is asked for."""
    if as_ref and isinstance(value, _native.Variable):
        return value._ref()
    return _native.convert_to_tensor(value, dtype=dtype, name=name, preferred_dtype=preferred_dtype)


def internal_convert_n_to_tensor(values, dtype=None, name=None, as_ref=False, preferred_dtype=None, **other):
    return [internal_convert_to_tensor(value, dtype, None if name is None else "%s_%d" % (name, i), as_ref, preferred_dtype)
            for i, value in enumerate(values)]


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    """The values as a list of tensors."""
    return internal_convert_n_to_tensor(values, dtype, name, False, preferred_dtype)


def get_name_scope():
    """The path of the name scope that is open."""
    with _native.name_scope("x") as path:
        return path[:-2].rpartition("/")[0]


def name_from_scope_name(name):
    """Without the slash at its end."""
    return name[:-1] if name and name[-1] == "/" else name


def strip_name_scope(name, export_scope):
    """What a name is below a scope."""
    return name[len(export_scope) + 1:] if export_scope and name.startswith(export_scope + "/") else name


def prepend_name_scope(name, import_scope):
    return "%s/%s" % (import_scope.rstrip("/"), name) if import_scope else name


def inside_function():
    return False
