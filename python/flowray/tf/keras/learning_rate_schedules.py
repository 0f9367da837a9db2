"""tf.keras.optimizers.schedules: learning rates that follow from the number of steps that an optimizer has made."""

import math as _math

from flowray import tf as _tf
from flowray.tf.keras import _custom_objects


class LearningRateSchedule:
    """A function of the number of steps. A class of the program's has `__call__` and `get_config`."""

    def __call__(self, step):
        raise NotImplementedError("Learning rate schedule '%s' must override `__call__(self, step)`." % type(self).__name__)

    def get_config(self):
        """The arguments that make such a schedule."""
        raise NotImplementedError("Learning rate schedule '%s' must override `get_config()` in order to be serializable." % type(self).__name__)

    @classmethod
    def from_config(cls, config):
        """The schedule that get_config() told of."""
        return cls(**config)


class _Told(LearningRateSchedule):
    """One of the language's: its arguments are its attributes."""

    def __init__(self, **arguments):
        self._told = tuple(arguments)
        self.__dict__.update(arguments)

    def get_config(self):
        return {name: getattr(self, name) for name in self._told}

    def _scope(self, name):
        return _tf.name_scope(self.name or name)

    def _first(self):
        return _tf.convert_to_tensor(self.initial_learning_rate, name="initial_learning_rate")


class ExponentialDecay(_Told):
    """initial_learning_rate * decay_rate ** (step / decay_steps); of whole numbers of decay_steps where `staircase`."""

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        super().__init__(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, decay_rate=decay_rate, staircase=staircase, name=name)

    def __call__(self, step):
        with self._scope("ExponentialDecay"):
            first = self._first()
            passed = _tf.cast(step, first.dtype) / _tf.cast(self.decay_steps, first.dtype)
            return first * _tf.pow(_tf.cast(self.decay_rate, first.dtype), _tf.floor(passed) if self.staircase else passed)


class PiecewiseConstantDecay(_Told):
    """values[i] up to boundaries[i], that one included; the last one behind all of them."""

    def __init__(self, boundaries, values, name=None):
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values. Received: boundaries=%s of length %d, and "
                             "values=%s of length %d." % (boundaries, len(boundaries), values, len(values)))
        super().__init__(boundaries=boundaries, values=values, name=name)

    def __call__(self, step):
        with self._scope("PiecewiseConstant"):
            step = _tf.convert_to_tensor(step)
            rate = _tf.convert_to_tensor(self.values[-1])
            for boundary, value in reversed(list(zip(self.boundaries, self.values))):
                rate = _tf.where(step <= _tf.cast(boundary, step.dtype), _tf.convert_to_tensor(value), rate)
            return rate


class PolynomialDecay(_Told):
    """From initial_learning_rate to end_learning_rate in decay_steps, along a polynomial; `cycle` begins anew behind them."""

    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
        super().__init__(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, end_learning_rate=end_learning_rate, power=power,
                         cycle=cycle, name=name)

    def __call__(self, step):
        with self._scope("PolynomialDecay"):
            first = self._first()
            end, steps, step = (_tf.cast(number, first.dtype) for number in (self.end_learning_rate, self.decay_steps, step))
            if self.cycle:
                begun = _tf.ceil(step / steps)
                steps = steps * _tf.where(_tf.equal(step, 0), _tf.ones_like(begun), begun)
            else:
                step = _tf.minimum(step, steps)
            return (first - end) * _tf.pow(1 - step / steps, _tf.cast(self.power, first.dtype)) + end


class InverseTimeDecay(_Told):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps); of whole numbers of decay_steps where `staircase`."""

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        super().__init__(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, decay_rate=decay_rate, staircase=staircase, name=name)

    def __call__(self, step):
        with self._scope("InverseTimeDecay"):
            first = self._first()
            passed = _tf.cast(step, first.dtype) / _tf.cast(self.decay_steps, first.dtype)
            passed = _tf.floor(passed) if self.staircase else passed
            return first / (1 + _tf.cast(self.decay_rate, first.dtype) * passed)


class CosineDecay(_Told):
    """Half a wave of a cosine in decay_steps, down to `alpha` of the first rate; before it a straight way up to warmup_target, if there is one."""

    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name=None, warmup_target=None, warmup_steps=0):
        super().__init__(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, alpha=alpha, name=name, warmup_target=warmup_target,
                         warmup_steps=warmup_steps)

    def _decayed(self, step, steps, rate):
        return rate * ((1 - self.alpha) * (0.5 * (1.0 + _tf.cos(_tf.constant(_math.pi, rate.dtype) * (step / steps)))) + self.alpha)

    def __call__(self, step):
        with self._scope("CosineDecay"):
            first = self._first()
            steps, step = _tf.cast(self.decay_steps, first.dtype), _tf.cast(step, first.dtype)
            if self.warmup_target is None:
                return self._decayed(_tf.minimum(step, steps), steps, first)
            top, way = _tf.cast(self.warmup_target, first.dtype), _tf.cast(self.warmup_steps, first.dtype)
            step = _tf.minimum(step, steps + way)
            if not self.warmup_steps:
                return self._decayed(step, steps, top)
            return _tf.where(step < way, (top - first) * (step / way) + first, self._decayed(step - way, steps, top))


class CosineDecayRestarts(_Told):
    """The same again and again, each time t_mul as long and from m_mul of the rate before. Source: Loshchilov and Hutter, 2016."""

    def __init__(self, initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
        super().__init__(initial_learning_rate=initial_learning_rate, first_decay_steps=first_decay_steps, t_mul=t_mul, m_mul=m_mul, alpha=alpha,
                         name=name)

    def __call__(self, step):
        with self._scope("SGDRDecay"):
            first = self._first()
            of_dtype = [_tf.cast(number, first.dtype) for number in (self.first_decay_steps, self.t_mul, self.m_mul, self.alpha, step)]
            steps, longer, less, alpha, step = of_dtype
            passed = step / steps
            if self.t_mul == 1.0:
                restarts = _tf.floor(passed)
                passed = passed - restarts
            else:
                restarts = _tf.floor(_tf.log(1.0 - passed * (1.0 - longer)) / _tf.log(longer))
                passed = (passed - (1.0 - longer ** restarts) / (1.0 - longer)) / longer ** restarts
            wave = 0.5 * less ** restarts * (1.0 + _tf.cos(_tf.constant(_math.pi, first.dtype) * passed))
            return first * ((1 - alpha) * wave + alpha)


_CLASSES = {cls.__name__: cls for cls in (ExponentialDecay, PiecewiseConstantDecay, PolynomialDecay, InverseTimeDecay, CosineDecay,
                                          CosineDecayRestarts)}


def serialize(learning_rate_schedule):
    """Its config."""
    return {"class_name": type(learning_rate_schedule).__name__, "config": learning_rate_schedule.get_config()}


def deserialize(config, custom_objects=None):
    """The schedule that a config tells of."""
    name = config["class_name"]
    cls = _custom_objects.found(name, custom_objects) or _CLASSES.get(name)
    if cls is None:
        raise ValueError("Unknown decay: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is included "
                         "in the scope." % name)
    return cls.from_config(dict(config["config"]))
