"""tf.keras.initializers: first values of weights, by object, name or config. Names and defaults are those of tf.keras in TensorFlow 1."""

from flowray.tf import _initializers
from flowray.tf.keras import _custom_objects
from flowray.tf.keras._custom_objects import serialize  # noqa: F401: of this module, too

Initializer = _initializers.Initializer


def _renamed(name, base, doc):
    return type(name, (base,), {"__doc__": doc, "__module__": __name__})


Zeros = _renamed("Zeros", _initializers.zeros_initializer, "Zeros.")
Ones = _renamed("Ones", _initializers.ones_initializer, "Ones.")
Constant = _renamed("Constant", _initializers.constant_initializer, "One value everywhere.")
VarianceScaling = _renamed("VarianceScaling", _initializers.variance_scaling_initializer, "By the size of the weight.")
Orthogonal = _renamed("Orthogonal", _initializers.orthogonal_initializer, "Rows or columns at right angles.")
Identity = _renamed("Identity", _initializers.identity_initializer, "The identity matrix.")
GlorotUniform = _renamed("GlorotUniform", _initializers.glorot_uniform_initializer, "Source: Glorot and Bengio, 2010.")
GlorotNormal = _renamed("GlorotNormal", _initializers.glorot_normal_initializer, "Source: Glorot and Bengio, 2010.")


class RandomNormal(_initializers.random_normal_initializer):
    """Normal numbers."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype="float32"):
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


class RandomUniform(_initializers.random_uniform_initializer):
    """Numbers of an interval."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype="float32"):
        super().__init__(minval=minval, maxval=maxval, seed=seed, dtype=dtype)


class TruncatedNormal(_initializers.truncated_normal_initializer):
    """Normal numbers of at most two standard deviations."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype="float32"):
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


class _Scaled(_initializers.variance_scaling_initializer):
    _how = {}

    def __init__(self, seed=None):
        super().__init__(seed=seed, **self._how)
        self.seed = seed

    def get_config(self):
        return {"seed": self.seed}


HeNormal = type("HeNormal", (_Scaled,), {"_how": {"scale": 2.0, "mode": "fan_in", "distribution": "truncated_normal"},
                                         "__doc__": "Source: He et al., 2015.", "__module__": __name__})
HeUniform = type("HeUniform", (_Scaled,), {"_how": {"scale": 2.0, "mode": "fan_in", "distribution": "uniform"},
                                           "__doc__": "Source: He et al., 2015.", "__module__": __name__})
LecunNormal = type("LecunNormal", (_Scaled,), {"_how": {"scale": 1.0, "mode": "fan_in", "distribution": "truncated_normal"},
                                               "__doc__": "Source: LeCun et al., 1998.", "__module__": __name__})
LecunUniform = type("LecunUniform", (_Scaled,), {"_how": {"scale": 1.0, "mode": "fan_in", "distribution": "uniform"},
                                                 "__doc__": "Source: LeCun et al., 1998.", "__module__": __name__})

zeros, ones, constant, orthogonal, identity = Zeros, Ones, Constant, Orthogonal, Identity
glorot_uniform, glorot_normal, he_normal, he_uniform = GlorotUniform, GlorotNormal, HeNormal, HeUniform
lecun_normal, lecun_uniform, normal, uniform = LecunNormal, LecunUniform, RandomNormal, RandomUniform
random_normal, random_uniform, truncated_normal, zero, one = RandomNormal, RandomUniform, TruncatedNormal, Zeros, Ones
variance_scaling = VarianceScaling

_KNOWN = {name: value for name, value in globals().items() if isinstance(value, type) and issubclass(value, Initializer)}
for _name in _initializers.NAMES:
    _KNOWN.setdefault(_name, getattr(_initializers, _name))


def deserialize(config, custom_objects=None):
    """The initializer that a config tells of."""
    return _custom_objects.made(config, _KNOWN, "initializer", custom_objects)


def get(identifier):
    """An initializer by its name or config, or what is one already."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier() if isinstance(identifier, type) else identifier
    raise ValueError("Could not interpret initializer identifier: %s" % (identifier,))
