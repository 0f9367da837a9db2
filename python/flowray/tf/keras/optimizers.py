"""tf.keras.optimizers: rules with tf.keras' rates. What they have in common is base_optimizer.py's."""

import types as _types

import numpy as _np

from flowray import tf as _tf
from flowray.tf.keras import _custom_objects
from flowray.tf.keras import learning_rate_schedules as schedules
from flowray.tf.keras.base_optimizer import Optimizer, scatter_add as _scatter_add, update_op as _update_op


def _check_share(momentum):
    """A part of 1; of tensors and functions nobody knows yet. Whether it is any."""
    if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
        raise ValueError("`momentum` must be between [0, 1]. Received: momentum=%s (of type %s)." % (momentum, type(momentum)))
    return not isinstance(momentum, (int, float)) or momentum > 0


def _epsilon(epsilon):
    from flowray.tf.keras import backend
    return epsilon or backend.epsilon()


def _numbers(dtype, **values):
    return {name: _tf.convert_to_tensor(value, dtype) for name, value in values.items()}


def _decay_and_add(slot, share, indices, rows):
    """slot * share, with these rows added to it."""
    with _tf.control_dependencies(None if _tf.executing_eagerly() else [slot.assign(slot * share)]):
        if _tf.executing_eagerly():
            slot.assign(slot * share)
        return _scatter_add(slot, indices, rows)


class _Rule(Optimizer):
    """One of the language's: its numbers are told by its config in this order, after the learning rate and its decay."""

    _HAS_AGGREGATE_GRAD = True
    _told = ()

    def __init__(self, name, learning_rate, options, **hyper):
        super().__init__(name, **options)
        self._set_hyper("learning_rate", options.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        for hyper_name, value in hyper.items():
            self._set_hyper(hyper_name, value)

    def get_config(self):
        config = super().get_config()
        config.update(learning_rate=self._serialize_hyperparameter("learning_rate"), decay=self._initial_decay)
        config.update({name: self._serialize_hyperparameter(name) if name in self._hyper else getattr(self, "_" + name, None)
                       if hasattr(type(self), "_" + name) else getattr(self, name) for name in self._told})
        return config

    def set_weights(self, weights):
        """Values for weights; files of older versions have no number of steps."""
        if len(self.weights) == len(weights) + 1:
            weights = [_np.array(0), *weights]
        super().set_weights(weights)

    def _hypers(self, dtype, *names):
        return {name: _tf.identity(self._get_hyper(name, dtype)) for name in names}

    def _kept(self):
        """The names of the slots, which begin at 0."""
        return ()

    def _create_slots(self, var_list):
        for slot_name in self._kept():
            for var in var_list:
                self.add_slot(var, slot_name)

    # A rule that is one op has _update(form, var, shared, **arguments), where `form` begins the op's name; the others have these two.

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return self._update("Apply", var, self._shared(var, apply_state), grad=grad)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        return self._update("SparseApply", var, self._shared(var, apply_state), grad=grad, indices=indices)


class SGD(_Rule):
    """variable -= learning_rate * gradient; with momentum the moves go on: move = momentum * move - learning_rate * gradient."""

    _told = ("momentum", "nesterov")

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name="SGD", **kwargs):
        self._momentum = _check_share(momentum)
        super().__init__(name, learning_rate, kwargs, momentum=momentum)
        self.nesterov = nesterov

    def set_weights(self, weights):
        Optimizer.set_weights(self, weights)

    def _kept(self):
        return ("momentum",) if self._momentum else ()

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        if self._momentum:
            apply_state[(var_device, var_dtype)].update(self._hypers(var_dtype, "momentum"), **_numbers(var_dtype, minus_one=-1))

    # The op's accumulation is the sum of gradients; given moves as gradients and -1 as their rate it is that of moves, as Keras has it.

    def _resource_apply_dense(self, grad, var, apply_state=None):
        shared = self._shared(var, apply_state)
        if not self._momentum:
            return _update_op("ApplyGradientDescent", {"var": var}, alpha=shared["lr_t"], delta=grad)
        return self._update("Apply", var, shared, grad=grad)

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices, **kwargs):
        if self._momentum:
            return super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        return _scatter_add(var, indices, -grad * self._shared(var, kwargs.get("apply_state"))["lr_t"])

    def _update(self, form, var, shared, grad, **arguments):
        return _update_op(form + "Momentum", {"var": var, "accum": self.get_slot(var, "momentum")}, lr=shared["minus_one"],
                          grad=grad * -shared["lr_t"], momentum=shared["momentum"], use_nesterov=self.nesterov, **arguments)


class _OfMoments(_Rule):
    """Rules with means of gradients, `m`, and of their squares or sizes, `v`."""

    def _kept(self):
        return ("m", "v")

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[(var_device, var_dtype)]
        shared.update(self._hypers(var_dtype, "beta_1", "beta_2"), **_numbers(var_dtype, epsilon=self.epsilon))
        step = _tf.cast(self.iterations + 1, var_dtype)
        shared.update({beta + "_power": _tf.pow(shared[beta], step) for beta in ("beta_1", "beta_2")})


class Adam(_OfMoments):
    """Source: Kingma and Ba, 2014; with `amsgrad` the squares never get smaller (Reddi et al., 2018)."""

    _told = ("beta_1", "beta_2", "epsilon", "amsgrad")

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, name="Adam", **kwargs):
        super().__init__(name, learning_rate, kwargs, beta_1=beta_1, beta_2=beta_2)
        self.epsilon, self.amsgrad = _epsilon(epsilon), amsgrad

    def _kept(self):
        return ("m", "v", "vhat") if self.amsgrad else ("m", "v")

    def set_weights(self, weights):
        """Values for weights; files of older versions have a third one for each variable."""
        params = self.weights
        if len(weights) == 3 * int((len(params) - 1) / 2) + 1:
            weights = weights[:len(params)]
        Optimizer.set_weights(self, weights)

    def _corrected_rate(self, shared):
        return shared["lr_t"] * _tf.sqrt(1 - shared["beta_2_power"]) / (1 - shared["beta_1_power"])

    def _resource_apply_dense(self, grad, var, apply_state=None):
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        if not self.amsgrad:
            return _update_op("ApplyAdam", {"var": var, "m": m, "v": v}, beta1_power=shared["beta_1_power"], beta2_power=shared["beta_2_power"],
                              lr=shared["lr_t"], beta1=shared["beta_1"], beta2=shared["beta_2"], epsilon=shared["epsilon"], grad=grad)
        mean = m.assign_add((grad - m) * (1 - shared["beta_1"]))
        squares = v.assign_add((_tf.square(grad) - v) * (1 - shared["beta_2"]))
        vhat = self.get_slot(var, "vhat")
        greatest = vhat.assign(_tf.maximum(vhat, squares))
        return var.assign_sub(mean * self._corrected_rate(shared) / (_tf.sqrt(greatest) + shared["epsilon"]))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        shared = self._shared(var, apply_state)
        mean = _decay_and_add(self.get_slot(var, "m"), shared["beta_1"], indices, grad * (1 - shared["beta_1"]))
        squares = _decay_and_add(self.get_slot(var, "v"), shared["beta_2"], indices, grad * grad * (1 - shared["beta_2"]))
        if self.amsgrad:
            vhat = self.get_slot(var, "vhat")
            squares = vhat.assign(_tf.maximum(vhat, squares))
        return var.assign_sub(self._corrected_rate(shared) * mean / (_tf.sqrt(squares) + shared["epsilon"]))


class Adamax(_OfMoments):
    """Adam with the greatest gradient in place of the mean of squares. Source: Kingma and Ba, 2014, section 7."""

    _told = ("beta_1", "beta_2", "epsilon")

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name="Adamax", **kwargs):
        super().__init__(name, learning_rate, kwargs, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = _epsilon(epsilon)

    def set_weights(self, weights):
        Optimizer.set_weights(self, weights)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        shared = self._shared(var, apply_state)
        return _update_op("ApplyAdaMax", {"var": var, "m": self.get_slot(var, "m"), "v": self.get_slot(var, "v")},
                          beta1_power=shared["beta_1_power"], lr=shared["lr_t"], beta1=shared["beta_1"], beta2=shared["beta_2"],
                          epsilon=shared["epsilon"], grad=grad)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        raise NotImplementedError("Adamax for a variable that is only gathered from is not there yet: take Adam")


class Nadam(_OfMoments):
    """Adam with the gradient where the next move would go. Source: Dozat, 2016. Its `decay` is that of the momentum, also `schedule_decay`."""

    _told = ("beta_1", "beta_2", "epsilon")

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name="Nadam", **kwargs):
        kwargs["decay"] = kwargs.pop("schedule_decay", kwargs.get("decay", 0.004))
        if isinstance(kwargs.get("lr", learning_rate), schedules.LearningRateSchedule):
            raise ValueError("The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate.")
        self._m_cache = None
        super().__init__(name, learning_rate, kwargs, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = _epsilon(epsilon)

    def set_weights(self, weights):
        Optimizer.set_weights(self, weights)

    def _create_slots(self, var_list):
        if "momentum_cache" not in self._own:
            self._m_cache = self.add_weight("momentum_cache", (), var_list[0].dtype.base_dtype, "ones", trainable=False)
            self._weights.append(self._m_cache)
        super()._create_slots(var_list)

    def _decayed_lr(self, dtype):
        return self._get_hyper("learning_rate", dtype)  # the decay is that of the momentum

    def _prepare(self, var_list):
        self._cache_read = _tf.identity(self._m_cache)
        return super()._prepare(var_list)

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[(var_device, var_dtype)]
        now, then = (shared["beta_1"] * (1.0 - 0.5 * _tf.pow(_tf.constant(0.96, var_dtype),
                                                              self._initial_decay * _tf.cast(self.iterations + ahead, var_dtype)))
                     for ahead in (1, 2))
        schedule = _tf.cast(self._cache_read, var_dtype) * now
        if var_dtype == self._m_cache.dtype.base_dtype:
            schedule = _tf.identity(self._m_cache.assign(schedule))
        shared.update(now=now, then=then, of_schedule=1.0 - schedule, of_next_schedule=1.0 - schedule * then)

    def _move(self, shared, grad, mean, squares):
        ahead = (1.0 - shared["now"]) * (grad / shared["of_schedule"]) + shared["then"] * (mean / shared["of_next_schedule"])
        return shared["lr_t"] * ahead / (_tf.sqrt(squares / (1.0 - shared["beta_2_power"])) + shared["epsilon"])

    def _resource_apply_dense(self, grad, var, apply_state=None):
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = m.assign(shared["beta_1"] * m + (1 - shared["beta_1"]) * grad)
        squares = v.assign(shared["beta_2"] * v + (1 - shared["beta_2"]) * _tf.square(grad))
        return var.assign_sub(self._move(shared, grad, mean, squares))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        shared = self._shared(var, apply_state)
        mean = _decay_and_add(self.get_slot(var, "m"), shared["beta_1"], indices, grad * (1 - shared["beta_1"]))
        squares = _decay_and_add(self.get_slot(var, "v"), shared["beta_2"], indices, grad * grad * (1 - shared["beta_2"]))
        return _scatter_add(var, indices, -self._move(shared, grad, _tf.gather(mean, indices), _tf.gather(squares, indices)))


class RMSprop(_Rule):
    """variable -= learning_rate * gradient / (sqrt(mean of squares) + epsilon); `centered` takes the square of the mean from it. With momentum,
    whose op has epsilon below the root, the moves go on."""

    _told = ("rho", "momentum", "epsilon", "centered")

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name="RMSprop", **kwargs):
        self._momentum = _check_share(momentum)
        super().__init__(name, learning_rate, kwargs, rho=rho, momentum=momentum)
        self.epsilon, self.centered = _epsilon(epsilon), centered

    def _kept(self):
        return ("rms", *(("momentum",) if self._momentum else ()), *(("mg",) if self.centered else ()))

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        names = ("rho", "momentum") if self._momentum else ("rho",)
        apply_state[(var_device, var_dtype)].update(self._hypers(var_dtype, *names), **_numbers(var_dtype, epsilon=self.epsilon))

    def _update(self, form, var, shared, **arguments):
        slots = {"var": var, "ms": self.get_slot(var, "rms"), "mom": self.get_slot(var, "momentum")}
        if self.centered:
            slots["mg"] = self.get_slot(var, "mg")
        return _update_op(form + ("CenteredRMSProp" if self.centered else "RMSProp"), slots, lr=shared["lr_t"], rho=shared["rho"],
                          momentum=shared["momentum"], epsilon=shared["epsilon"], **arguments)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        shared = self._shared(var, apply_state)
        if self._momentum:
            return self._update("Apply", var, shared, grad=grad)
        rms = self.get_slot(var, "rms")
        spread = rms.assign(shared["rho"] * rms + (1 - shared["rho"]) * _tf.square(grad))
        if self.centered:
            mg = self.get_slot(var, "mg")
            spread = spread - _tf.square(mg.assign(shared["rho"] * mg + (1 - shared["rho"]) * grad))
        return var.assign_sub(shared["lr_t"] * grad / (_tf.sqrt(spread) + shared["epsilon"]))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        shared = self._shared(var, apply_state)
        if self._momentum:
            return self._update("SparseApply", var, shared, grad=grad, indices=indices)
        rest = 1 - shared["rho"]
        spread = _tf.gather(_decay_and_add(self.get_slot(var, "rms"), shared["rho"], indices, grad * grad * rest), indices)
        if self.centered:
            mean = _decay_and_add(self.get_slot(var, "mg"), shared["rho"], indices, grad * rest)
            spread = spread - _tf.square(_tf.gather(mean, indices))
        return _scatter_add(var, indices, -shared["lr_t"] * grad / (_tf.sqrt(spread) + shared["epsilon"]))


class Adagrad(_Rule):
    """The same with the sum of squares. Source: Duchi et al., 2011."""

    _told = ("initial_accumulator_value", "epsilon")
    _initial_accumulator_value = None

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name="Adagrad", **kwargs):
        if initial_accumulator_value < 0.0:
            raise ValueError("initial_accumulator_value must be non-negative: %s" % initial_accumulator_value)
        super().__init__(name, learning_rate, kwargs)
        self._initial_accumulator_value, self.epsilon = initial_accumulator_value, _epsilon(epsilon)

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "accumulator", _tf.constant_initializer(self._initial_accumulator_value))

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)].update(_numbers(var_dtype, epsilon=self.epsilon))

    def _update(self, form, var, shared, **arguments):
        return _update_op(form + "AdagradV2", {"var": var, "accum": self.get_slot(var, "accumulator")}, lr=shared["lr_t"], epsilon=shared["epsilon"],
                          **arguments)


class Adadelta(_Rule):
    """Moves of the size of those before them. Source: Zeiler, 2012."""

    _told = ("rho", "epsilon")

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name="Adadelta", **kwargs):
        super().__init__(name, learning_rate, kwargs, rho=rho)
        self.epsilon = _epsilon(epsilon)

    def _kept(self):
        return ("accum_grad", "accum_var")

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)].update(self._hypers(var_dtype, "rho"), **_numbers(var_dtype, epsilon=self.epsilon))

    def _update(self, form, var, shared, **arguments):
        slots = {"var": var, "accum": self.get_slot(var, "accum_grad"), "accum_update": self.get_slot(var, "accum_var")}
        return _update_op(form + "Adadelta", slots, lr=shared["lr_t"], rho=shared["rho"], epsilon=shared["epsilon"], **arguments)


class Ftrl(_Rule):
    """Follow the regularized leader. Source: McMahan et al., 2013."""

    _HAS_AGGREGATE_GRAD = False
    _told = ("initial_accumulator_value", "learning_rate_power", "l1_regularization_strength", "l2_regularization_strength", "beta",
             "l2_shrinkage_regularization_strength")
    _initial_accumulator_value, _l2_shrinkage_regularization_strength = None, None

    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, name="Ftrl", l2_shrinkage_regularization_strength=0.0, beta=0.0, **kwargs):
        for what, value in (("initial_accumulator_value", initial_accumulator_value), ("l1_regularization_strength", l1_regularization_strength),
                            ("l2_regularization_strength", l2_regularization_strength),
                            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)):
            if value < 0.0:
                raise ValueError("`%s` needs to be positive or zero. Received: %s=%s." % (what, what, value))
        if learning_rate_power > 0.0:
            raise ValueError("`learning_rate_power` needs to be negative or zero. Received: learning_rate_power=%s." % learning_rate_power)
        super().__init__(name, learning_rate, kwargs, learning_rate_power=learning_rate_power, beta=beta,
                         l1_regularization_strength=l1_regularization_strength, l2_regularization_strength=l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def set_weights(self, weights):
        Optimizer.set_weights(self, weights)

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "accumulator", _tf.constant_initializer(self._initial_accumulator_value))
            self.add_slot(var, "linear")

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[(var_device, var_dtype)]
        shared.update(self._hypers(var_dtype, "learning_rate_power", "l1_regularization_strength", "l2_regularization_strength", "beta"))
        shared["l2"] = shared["l2_regularization_strength"] + shared["beta"] / (2.0 * shared["lr_t"])

    def _update(self, form, var, shared, **arguments):
        slots = {"var": var, "accum": self.get_slot(var, "accumulator"), "linear": self.get_slot(var, "linear")}
        shrinkage = self._l2_shrinkage_regularization_strength
        if shrinkage > 0.0:
            arguments["l2_shrinkage"] = _tf.constant(shrinkage, var.dtype.base_dtype)
        return _update_op(form + ("FtrlV2" if shrinkage > 0.0 else "Ftrl"), slots, lr=shared["lr_t"], l1=shared["l1_regularization_strength"],
                          l2=shared["l2"], lr_power=shared["learning_rate_power"], **arguments)


_CLASSES = (SGD, Adam, Adamax, Nadam, RMSprop, Adagrad, Adadelta, Ftrl)
_NAMES = {cls.__name__.lower(): cls for cls in _CLASSES}
legacy = _types.ModuleType(__name__ + ".legacy", "tf.keras.optimizers.legacy: the same ones.")
legacy.__dict__.update({cls.__name__: cls for cls in (Optimizer, *_CLASSES)})


def get(identifier):
    """An optimizer by its name or config, or what is one already."""
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
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
    for other in ("jit_compile", "is_legacy_optimizer", "use_ema", "ema_momentum", "ema_overwrite_frequency", "weight_decay", "global_clipnorm"):
        if told.get(other) in (None, False) or other in ("ema_momentum", "is_legacy_optimizer"):
            told.pop(other, None)
    return cls.from_config(told, custom_objects=custom_objects) if custom_objects else cls.from_config(told)


def state_of(model):
    """(name, value) of what the optimizer keeps, in tf.keras' order: the number of steps, then each slot of all variables."""
    weights = model.optimizer.weights
    return list(zip((weight.name for weight in weights), model.optimizer.get_weights()))


def set_state(model, values):
    """What state_of() gave, or tf.keras wrote: the first step of training puts it back."""
    model.optimizer._restored = list(values)


def put_back(model):
    """Gives the variables of an optimizer the values that set_state() was given."""
    values, model.optimizer._restored = model.optimizer._restored, None
    try:
        model.optimizer.set_weights(values)
    except ValueError:
        _tf.logging.warning("Error in loading the saved optimizer state. As a result, your model is starting with a freshly initialized "
                            "optimizer.")
