"""tf.keras.optimizers: rules with tf.keras' rates, which a program may change between the steps."""

import numpy as _np

from flowray import _native
from flowray import tf as _tf

_rules = _native.keras.optimizers


def _as_stored(rate):
    """A number as a variable of float32 has it."""
    return float(_np.float32(rate)) if isinstance(rate, (int, float, _np.floating)) else rate


class Optimizer:
    """A rule. Its `lr` (or `learning_rate`) may be set at any time."""

    _native_rule, _refused = None, {}

    def __init__(self, learning_rate, options, **settings):
        options = dict(options)
        self._rate = _as_stored(options.pop("lr", learning_rate))
        options.pop("name", None)
        for name, value in options.items():
            if name not in ("decay", "clipnorm", "clipvalue", *self._refused):
                raise TypeError("Unexpected keyword argument passed to optimizer: %s" % name)
            if value not in (None, False, 0, 0.0):
                raise NotImplementedError("%s(%s=%r) is not there yet: leave it out" % (type(self).__name__, name, value))
        self._settings = {name: 1e-7 if name == "epsilon" and value is None else value for name, value in settings.items()}
        self._variables = []

    @property
    def learning_rate(self):
        return self._rate

    @learning_rate.setter
    def learning_rate(self, rate):
        self._rate = _as_stored(float(rate))
        for variable in self._variables:
            _native.keras._set_value(variable, self._rate)

    lr = learning_rate

    def get_config(self):
        """The arguments that make such a rule."""
        return {"name": type(self).__name__, "learning_rate": self._rate, **self._settings}

    def _made(self):
        """The language's rule, of the default graph."""
        rate = self._rate
        if isinstance(rate, float) and not _tf.executing_eagerly():
            with _tf.name_scope(type(self).__name__):
                rate = _tf.Variable(float(rate), trainable=False, name="lr")
            self._variables.append(rate)
        return self._native_rule(learning_rate=rate, **self._settings)


class SGD(Optimizer):
    """variable -= learning_rate * gradient, with momentum if it is asked for."""

    _native_rule = staticmethod(_rules.SGD)

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, **options):
        super().__init__(learning_rate, options, momentum=momentum, nesterov=nesterov)


class Adam(Optimizer):
    """Source: Kingma and Ba, 2014."""

    _native_rule, _refused = staticmethod(_rules.Adam), {"amsgrad"}

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **options):
        super().__init__(learning_rate, options, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon)


class RMSprop(Optimizer):
    """variable -= learning_rate * gradient / (sqrt(mean of squares) + epsilon)."""

    _native_rule, _refused = staticmethod(_rules.RMSprop), {"momentum", "centered"}

    def __init__(self, learning_rate=0.001, rho=0.9, epsilon=1e-7, **options):
        super().__init__(learning_rate, options, rho=rho, epsilon=epsilon)


class Adagrad(Optimizer):
    """The same with the sum of squares. Source: Duchi et al., 2011."""

    _native_rule = staticmethod(_rules.Adagrad)

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, **options):
        super().__init__(learning_rate, options, initial_accumulator_value=initial_accumulator_value, epsilon=epsilon)


_NAMES = {"sgd": SGD, "adam": Adam, "rmsprop": RMSprop, "adagrad": Adagrad}


def get(identifier):
    """An optimizer by its name, or what is one already."""
    if isinstance(identifier, str) and identifier.lower() in _NAMES:
        return _NAMES[identifier.lower()]()
    return identifier
