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
        return w * _tf.cast(w >= 0.0, w.dtype.base_dtype)


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


class RadialConstraint(Constraint):
    """Kernels [rows, columns, channels, filters] as wide as high, the same along each square around the middle. The middle is what stands
    before it on the diagonal, the squares what stands from it on."""

    def __call__(self, w):
        shape = w.shape.as_list()
        if len(shape) != 4:
            raise ValueError("The weight tensor must have rank 4. Received weight tensor with shape: %s" % (tuple(shape),))
        rows, columns, channels, filters = shape
        square = _tf.reshape(w, (rows, columns, channels * filters))
        wide = _tf.stack([self._radial(square[:, :, i], rows) for i in range(channels * filters)], axis=-1)
        return _tf.reshape(wide, (rows, columns, channels, filters))

    def _radial(self, kernel, rows):
        middle, first = rows // 2, 0 if rows % 2 else 1
        line = [kernel[place, place] for place in (middle - 1, *range(middle + first, 2 * middle))]
        away = [max(abs(2 * i - rows + 1), abs(2 * j - rows + 1)) // 2 for i in range(rows) for j in range(rows)]
        return _tf.reshape(_tf.stack([line[distance] for distance in away]), (rows, rows))


radial_constraint = RadialConstraint
max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm
_NAMES = {"max_norm": MaxNorm, "MaxNorm": MaxNorm, "non_neg": NonNeg, "NonNeg": NonNeg, "unit_norm": UnitNorm, "UnitNorm": UnitNorm,
          "min_max_norm": MinMaxNorm, "MinMaxNorm": MinMaxNorm, "radial_constraint": RadialConstraint, "RadialConstraint": RadialConstraint}


def serialize(constraint):
    """Its config."""
    return _custom_objects.serialize(constraint)


def deserialize(config, custom_objects=None):
    """The constraint that a config tells of."""
    return _custom_objects.made(config, _NAMES, "constraint", custom_objects)


def get(identifier):
    """A constraint by its name or config, or what is one already."""
    return _custom_objects.function_on_weights(identifier, _NAMES, "constraint")
