"""tf.keras.constraints: what a weight becomes behind each step of training."""

from flowray import tf as _tf
from flowray.tf.keras import _custom_objects

_EPSILON = 1e-7


def _norms(w, axis):
    axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return _tf.sqrt(_tf.reduce_sum(_tf.square(w), axis, keepdims=True))


class Constraint:
    """A class of the program's has __call__, and get_config for files."""

    def __call__(self, w):
        return w

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def get_config(self):
        return {}


class MaxNorm(Constraint):
    """Vectors along an axis of at most this length."""

    def __init__(self, max_value=2, axis=0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w):
        norms = _norms(w, self.axis)
        return w * (_tf.clip_by_value(norms, 0.0, float(self.max_value)) / (_EPSILON + norms))

    def get_config(self):
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """Numbers below 0 become 0."""

    def __call__(self, w):
        return w * _tf.cast(w >= 0.0, _tf.float32)


class UnitNorm(Constraint):
    """Vectors along an axis of length 1."""

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (_EPSILON + _norms(w, self.axis))

    def get_config(self):
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Vectors along an axis whose length is brought by `rate` into these limits."""

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w):
        norms = _norms(w, self.axis)
        wanted = self.rate * _tf.clip_by_value(norms, float(self.min_value), float(self.max_value)) + (1 - self.rate) * norms
        return w * (wanted / (_EPSILON + norms))

    def get_config(self):
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm
_NAMES = {"max_norm": MaxNorm, "MaxNorm": MaxNorm, "non_neg": NonNeg, "NonNeg": NonNeg, "unit_norm": UnitNorm, "UnitNorm": UnitNorm,
          "min_max_norm": MinMaxNorm, "MinMaxNorm": MinMaxNorm}


def serialize(constraint):
    """Its config."""
    return _custom_objects.serialize(constraint)


def deserialize(config, custom_objects=None):
    """The constraint that a config tells of."""
    return _custom_objects.made(config, _NAMES, "constraint", custom_objects)


def get(identifier):
    """A constraint by its name or config, or what is one already."""
    return _custom_objects.function_on_weights(identifier, _NAMES, "constraint")
