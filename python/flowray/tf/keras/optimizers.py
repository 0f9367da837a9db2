"""tf.keras.optimizers: rules with tf.keras' rates, which a program may change between the steps."""

import weakref as _weakref

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _object_graph as _objects
from flowray.tf.keras import _custom_objects

_rules = _native.keras.optimizers


def _power(beta, exponent):
    """beta to the exponent as the steps have it, which multiply numbers of float32, so that a restored rule goes on as an unbroken one."""
    if exponent > 1 << 20:
        return _np.float32(_np.float64(beta) ** exponent)
    return _np.multiply.accumulate(_np.full(max(exponent, 1), beta, _np.float32))[-1]


def _steps_by_powers(powers, betas, counted):
    """The number of steps: `counted`, unless powers of the betas say that others were made, too. One that came to 0 says nothing."""
    said, best, least = counted, None, 0
    for power, beta in zip(powers, betas):
        if not 0 < beta < 1:
            continue
        if not power > _np.finfo(_np.float32).tiny:
            least = max(least, int(_np.log(_np.finfo(_np.float32).tiny) / _np.log(beta)) - 2) if power == 0 else least
            continue
        made = float(_np.log(_np.float64(power)) / _np.log(_np.float64(_np.float32(beta)))) - 1
        doubt = 0.5 + (made + 1) * 6e-8 / -float(_np.log(beta))  # each step rounds
        if best is None or doubt < best:
            best = doubt
            said = counted if abs(made - counted) <= doubt else max(0, round(made))
    return _np.int64(said if best is not None else max(counted, least))


def _as_stored(rate):
    """A number as a variable of float32 has it."""
    return float(_np.float32(rate)) if isinstance(rate, (int, float, _np.floating)) else rate


class Optimizer:
    """A rule. Its `lr` (or `learning_rate`) may be set at any time."""

    _native_rule, _refused = None, {}
    _slots = {}  # what is kept for each variable: tf.keras' name for it, and the language's
    _restored, _model, _numbers, _counted, _session = None, None, None, 0, None

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
            self._session = _native.keras._set_value(variable, self._rate)

    lr = learning_rate

    # ---- what it keeps, by TensorFlow's names

    def _train(self, model):
        """From now on it is this model's variables that it keeps something for."""
        self._model = _weakref.ref(model)
        self._numbers, self._counted = None, 0

    def _kept(self):
        model = self._model() if self._model is not None else None
        return (model, *_kept_variables(model)) if model is not None else (None, {}, [])

    def get_slot_names(self):
        """What it keeps for each variable."""
        return list(self._slots)

    def get_slot(self, var, slot_name):
        """The variable that it keeps for another one; None where no step has been made."""
        model, slots, _ = self._kept()
        for weight, slot in zip(model.trainable_weights if model is not None else (), slots.get(slot_name, ())):
            if weight.op.name == var.op.name:
                return self._slot_in_files(slot, weight, slot_name)
        return None

    def _slots_by_name(self):
        """{name of a slot: {name of a variable: the slot}}."""
        model, slots, _ = self._kept()
        weights = model.trainable_weights if model is not None else ()
        return {name: {weight.op.name: self._slot_in_files(slot, weight, name) for weight, slot in zip(weights, slots.get(name, ()))}
                for name in self._slots}

    def _slot_in_files(self, slot, weight, slot_name):
        return slot

    def _in_files(self, value):
        """What tf.keras keeps where the language keeps `value` in a slot, and the other way round."""
        return value

    _from_files = _in_files

    def _steps(self):
        """How many it has made."""
        _, _, powers = self._kept()
        values = _native.keras._values_of(powers)[0] if powers else []
        return _steps_by_powers(values, [self._settings.get("beta_1"), self._settings.get("beta_2")], self._counted)

    def _set_steps(self, steps):
        self._counted = int(steps)
        _, _, powers = self._kept()
        for power, beta in zip(powers, ("beta_1", "beta_2")):
            self._session = _native.keras._set_value(power, _power(self._settings[beta], self._counted + 1))

    def _count(self, steps=1):
        """So many steps more were made."""
        self._counted += steps

    def _check_same(self, name, mine, value):
        if _np.float32(mine) != _np.float32(value):
            raise NotImplementedError("A checkpoint of a %s with %s=%s cannot be restored into one with %s=%s yet: make it with the number of the "
                                      "checkpoint" % (type(self).__name__, name, float(value), name, mine))

    def __getstate__(self):
        return {**self.__dict__, "_model": None, "_numbers": None, "_session": None, "_slots_in_files": {}}

    def _slots_came(self):
        """A checkpoint's number of steps came before the variables that keep it."""
        self._set_steps(self._counted)

    def _checkpoint_children(self):
        if self._numbers is None:
            hyper = {"decay": (lambda: _np.float32(0), lambda value: self._check_same("decay", 0.0, value)),
                     "learning_rate": (lambda: _np.float32(self._rate), lambda value: setattr(self, "learning_rate", float(value)))}
            for name, value in self._settings.items():
                if name in ("beta_1", "beta_2", "rho", "momentum"):
                    hyper[name] = (lambda mine=value: _np.float32(mine),
                                   lambda value, name=name, mine=value: self._check_same(name, mine, value))
            prefix = "training/%s/" % type(self).__name__
            self._numbers = [("iter", _objects.Value(prefix + "iter", self._steps, self._set_steps))]
            self._numbers += [(name, _objects.Value(prefix + name, *hyper[name])) for name in sorted(hyper)]
        return self._numbers

    def get_config(self):
        """The arguments that make such a rule."""
        return {"name": type(self).__name__, "learning_rate": self._rate, "decay": 0.0, **self._settings,
                **{name: 0.0 if name == "momentum" else False for name in sorted(self._refused)}}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        return cls(**config)

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
    _slots = property(lambda self: {"momentum": "momentum"} if self._settings["momentum"] else {})

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, **options):
        super().__init__(learning_rate, options, momentum=momentum, nesterov=nesterov)

    # tf.keras keeps by how much a weight moved; the language the sum of gradients that it moved by.
    def _in_files(self, value):
        return -_np.float32(self._rate) * value

    def _from_files(self, value):
        return -value / _np.float32(self._rate) if self._rate else _np.zeros_like(value)

    def _slot_in_files(self, slot, weight, slot_name):
        found = self.__dict__.setdefault("_slots_in_files", {})
        if slot.op.name not in found:
            def read():
                (value,), _ = _native.keras._values_of([slot])
                return self._in_files(value)

            def write(value):
                self._session = _native.keras._set_value(slot, self._from_files(value))
            found[slot.op.name] = _objects.Value("training/%s/%s/%s" % (type(self).__name__, weight.op.name, slot_name), read, write)
        return found[slot.op.name]


class Adam(Optimizer):
    """Source: Kingma and Ba, 2014."""

    _native_rule, _refused = staticmethod(_rules.Adam), {"amsgrad"}
    _slots = {"m": "m", "v": "v"}

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **options):
        super().__init__(learning_rate, options, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon)


class RMSprop(Optimizer):
    """variable -= learning_rate * gradient / (sqrt(mean of squares) + epsilon)."""

    _native_rule, _refused, _slots = staticmethod(_rules.RMSprop), {"momentum", "centered"}, {"rms": "accumulator"}

    def __init__(self, learning_rate=0.001, rho=0.9, epsilon=1e-7, **options):
        super().__init__(learning_rate, options, rho=rho, epsilon=epsilon)


class Adagrad(Optimizer):
    """The same with the sum of squares. Source: Duchi et al., 2011."""

    _native_rule, _slots = staticmethod(_rules.Adagrad), {"accumulator": "accumulator"}

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, **options):
        super().__init__(learning_rate, options, initial_accumulator_value=initial_accumulator_value, epsilon=epsilon)


_NAMES = {"sgd": SGD, "adam": Adam, "rmsprop": RMSprop, "adagrad": Adagrad}


def get(identifier):
    """An optimizer by its name or config, or what is one already."""
    if isinstance(identifier, str) and identifier.lower() in _NAMES:
        return _NAMES[identifier.lower()]()
    return deserialize(identifier) if isinstance(identifier, dict) else identifier


def serialize(optimizer):
    """Its config."""
    return {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}


def deserialize(config, custom_objects=None):
    """The optimizer that a config tells of."""
    name, told = config["class_name"], dict(config["config"])
    cls = _custom_objects.found(name, custom_objects) or _NAMES.get(name.lower())
    if cls is None:
        raise ValueError("Unknown optimizer: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is "
                         "included in the scope." % name)
    rate = told.get("learning_rate")
    if isinstance(rate, dict):
        raise NotImplementedError("A learning rate by a schedule is not there yet: %s" % rate)
    for other in ("jit_compile", "is_legacy_optimizer", "use_ema", "ema_momentum", "ema_overwrite_frequency", "weight_decay", "global_clipnorm"):
        if told.get(other) in (None, False) or other in ("ema_momentum", "is_legacy_optimizer"):
            told.pop(other, None)
    return cls.from_config(told)


def _kept_variables(model):
    """{slot: its variable for each trainable weight}, and the variables of powers, by tf.keras' names of slots; nothing before the first step."""
    rule = model._rule
    if rule is None:
        return {}, []
    slots = {name: [rule.get_slot(weight, own) for weight in model.trainable_weights] for name, own in model.optimizer._slots.items()}
    if any(variable is None for of_slot in slots.values() for variable in of_slot):
        return {}, []
    return slots, list(rule._own_variables().values())


def state_of(model):
    """(name, value) of what the optimizer keeps, in tf.keras' order: the number of steps, then each slot of all variables."""
    slots, _ = _kept_variables(model)
    kind = type(model.optimizer).__name__
    if not slots and model.optimizer._slots:
        return []
    state = [("training/%s/iter:0" % kind, model.optimizer._steps())]
    for name, variables in slots.items():
        values, _ = _native.keras._values_of(variables)
        state += [("training/%s/%s/%s:0" % (kind, weight.op.name, name), model.optimizer._in_files(value))
                  for weight, value in zip(model.trainable_weights, values)]
    return state


def set_state(model, values):
    """What state_of() gave, or tf.keras wrote: the first step of training puts it back."""
    names, variables = list(model.optimizer._slots), model.trainable_weights
    if len(values) != 1 + len(names) * len(variables):
        _tf.logging.warning("Error in loading the saved optimizer state. As a result, your model is starting with a freshly initialized "
                            "optimizer.")
        return
    model.optimizer._restored = int(values[0]), {name: values[1 + i * len(variables):1 + (i + 1) * len(variables)]
                                                 for i, name in enumerate(names)}


def put_back(model):
    """Gives the variables of an optimizer the values that set_state() was given."""
    steps, values = model.optimizer._restored
    slots, _ = _kept_variables(model)
    for name, variables in slots.items():
        for variable, value in zip(variables, values[name]):
            model._session = _native.keras._set_value(variable, model.optimizer._from_files(value))
    model.optimizer._set_steps(steps)
    model.optimizer._restored = None
