"""tensorflow.python.util.deprecation: marks of what will be removed. Nothing is logged here."""


def _unchanged(*what, **options):
    return lambda function: function


deprecated = deprecated_args = deprecated_arg_values = _unchanged


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    return func_or_class


def deprecated_endpoints(*names):
    return _unchanged()


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """The value of an argument that has an old name, too."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError("Cannot specify both '%s' and '%s'." % (old_name, new_name))
    return old_value


class silence:  # noqa: N801: TensorFlow's name
    """Nothing is logged anyway."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False
