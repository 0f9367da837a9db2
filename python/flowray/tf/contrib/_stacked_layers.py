"""Layers made of layers: repeat and stack; softmax over the last dimension."""

from flowray import tf as _tf
from flowray.tf.contrib._arg_scope import add_arg_scope


def _name_of(layer, otherwise):
    return getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", otherwise)


def _one_after_the_other(inputs, layer, arguments, options, scope, default, otherwise):
    with _tf.variable_scope(scope, default, [inputs]):
        outputs = _tf.convert_to_tensor(inputs)
        name = scope if scope is not None else _name_of(layer, otherwise)
        for i, own in enumerate(arguments):
            outputs = layer(outputs, *own, scope="%s_%d" % (name, i + 1), **options)
        return outputs


@add_arg_scope
def repeat(inputs, repetitions, layer, *args, **kwargs):
    """The layer so many times, each in a scope of its own: scope/scope_1 and on."""
    scope = kwargs.pop("scope", None)
    return _one_after_the_other(inputs, layer, [args] * repetitions, kwargs, scope, "Repeat", "repeat")


@add_arg_scope
def stack(inputs, layer, stack_args, **kwargs):
    """The layer once for each of `stack_args`, which are its arguments after the inputs."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    arguments = [own if isinstance(own, (list, tuple)) else [own] for own in stack_args]
    return _one_after_the_other(inputs, layer, arguments, kwargs, scope, "Stack", "stack")


@add_arg_scope
def softmax(logits, scope=None):
    """Over the last dimension."""
    with _tf.variable_scope(scope, "softmax", [logits]):
        rows = _tf.nn.softmax(_tf.reshape(logits, [-1, logits.shape[-1].value]))
        predictions = _tf.reshape(rows, _tf.shape(logits))
        predictions.set_shape(logits.shape)
        return predictions
