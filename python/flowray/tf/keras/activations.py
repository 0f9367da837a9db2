"""tf.keras.activations: functions of each element."""

from flowray import tf as _tf
from flowray.tf.keras import _custom_objects


def softmax(x, axis=-1):
    """exp(x) by their sum along an axis."""
    if len(x.shape) <= 1:
        raise ValueError("Cannot apply softmax to a tensor that is 1D. Received input: %s" % x)
    return _tf.nn.softmax(x, axis=axis)


def elu(x, alpha=1.0):
    """x above 0, alpha * (exp(x) - 1) below."""
    made = _tf.nn.elu(x)
    return made if alpha == 1 else _tf.where(x > 0, made, alpha * made)


def selu(x):
    """elu, scaled so that layers keep mean and variance."""
    return _tf.nn.selu(x)


def softplus(x):
    """log(exp(x) + 1)"""
    return _tf.nn.softplus(x)


def softsign(x):
    """x / (|x| + 1)"""
    return _tf.nn.softsign(x)


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    """x above the threshold, alpha * (x - threshold) below, at most max_value."""
    if alpha == 0.0 and max_value is None and threshold == 0.0:
        return _tf.nn.relu(x)
    below = _tf.nn.relu(-x + threshold) if alpha != 0.0 else None
    made = x * _tf.cast(x > threshold, x.dtype) if threshold != 0.0 else _tf.nn.relu(x)
    if max_value is not None:
        made = _tf.clip_by_value(made, 0.0, max_value)
    return made if below is None else made - alpha * below


def tanh(x):
    """The hyperbolic tangent."""
    return _tf.tanh(x)


def sigmoid(x):
    """1 / (1 + exp(-x))"""
    return _tf.sigmoid(x)


def exponential(x):
    """exp(x)"""
    return _tf.exp(x)


def hard_sigmoid(x):
    """0.2 * x + 0.5 between 0 and 1."""
    return _tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def swish(x):
    """x * sigmoid(x)"""
    return x * _tf.sigmoid(x)


def gelu(x, approximate=False):
    """x by the share of normal numbers below it."""
    if approximate:
        return 0.5 * x * (1.0 + _tf.tanh(0.7978845608028654 * (x + 0.044715 * _tf.pow(x, 3))))
    return 0.5 * x * (1.0 + _tf.erf(x / 1.4142135623730951))


def mish(x):
    """x * tanh(softplus(x))"""
    return x * _tf.tanh(_tf.nn.softplus(x))


def linear(x):
    """x"""
    return x


silu = swish
_KNOWN = {function.__name__: function for function in (softmax, elu, selu, softplus, softsign, relu, tanh, sigmoid, exponential, hard_sigmoid,
                                                       swish, gelu, mish, linear)}
_KNOWN.update(silu=swish, relu6=_tf.nn.relu6, leaky_relu=_tf.nn.leaky_relu)


def serialize(activation):
    """Its name."""
    name = _custom_objects.serialize(activation)
    return {"softmax_v2": "softmax"}.get(name, name) if isinstance(name, str) else name


def deserialize(name, custom_objects=None):
    """The function that a name stands for."""
    return _custom_objects.deserialize(name, _KNOWN, "activation function", custom_objects)


def get(identifier):
    """A function by its name, or what is one already; None: linear."""
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError("Could not interpret activation function identifier: %s" % (identifier,))
