"""What all of tf.keras' optimizers have: numbers that may change between steps, what is kept for each variable, steps in loops of the
program's own and in models. The rules are those of optimizers.py."""

import contextlib as _contextlib
import re as _re

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest
from flowray.tf import _object_graph as _objects
from flowray.tf.keras import learning_rate_schedules as _schedules

_OPTIONS = ("clipnorm", "clipvalue", "decay", "global_clipnorm", "lr")
_VALID = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _backend():
    from flowray.tf.keras import backend  # which imports layers
    return backend


def _is_variable(value):
    return isinstance(value, _native.Variable)


def _with_gradients(grads_and_vars):
    """The pairs that have a gradient."""
    pairs = tuple((gradient, variable) for gradient, variable in grads_and_vars)
    found = tuple(pair for pair in pairs if pair[0] is not None)
    if pairs and not found:
        raise ValueError("No gradients provided for any variable: %s. Provided `grads_and_vars` is %s." % (
            ([variable.name for _, variable in pairs],), pairs))
    if len(found) < len(pairs):
        _tf.logging.warning("Gradients do not exist for variables %s when minimizing the loss. If you're using `model.compile()`, did you forget "
                            "to provide a `loss` argument?", [variable.name for gradient, variable in pairs if gradient is None])
    return found


def _clipped(grad, most):
    if isinstance(grad, _tf.IndexedSlices):  # by its rows, as they come
        return _tf.IndexedSlices(_tf.clip_by_value(grad.values, -most, most), grad.indices, grad.dense_shape)
    return _tf.clip_by_value(grad, -most, most)


def update_op(name, variables, **arguments):
    """The op `name` or "Resource" and the name, as its variables are; `variables` by their arguments."""
    is_resource = variables["var"]._is_resource
    op = getattr(_tf.raw_ops, "Resource" + name if is_resource else name)
    refs = {argument: variable.handle if is_resource else variable for argument, variable in variables.items()}
    return op(**refs, **arguments, use_locking=True)


def scatter_add(variable, indices, values):
    """The variable with these rows added to it."""
    if not variable._is_resource:
        return _tf.scatter_add(variable, indices, values)
    with _tf.control_dependencies([_tf.raw_ops.ResourceScatterAdd(resource=variable.handle, indices=indices, updates=values)]):
        return variable.read_value()


class Optimizer:
    """A rule for variables. A class of the program's has `_create_slots`, `_resource_apply_dense`, `_resource_apply_sparse` and `get_config`.
    Its numbers (`learning_rate`, also called `lr`, `beta_1` and so on) are variables once it is used, and may be set at any time."""

    _HAS_AGGREGATE_GRAD = False

    def __init__(self, name, gradient_aggregator=None, gradient_transformers=None, **kwargs):
        for option, value in kwargs.items():
            if option not in _OPTIONS:
                raise TypeError("Unexpected keyword argument passed to optimizer: %s. Allowed kwargs are {%s}." % (
                    option, ", ".join(map(repr, _OPTIONS))))
            if value is not None and isinstance(value, (int, float)) and value < 0:
                raise ValueError("Expected %s >= 0, received: %s" % (option, value))
        self._name = name or _unique_name(type(self).__name__)
        self._hyper = {}
        self._hypers_created, self._iterations, self._weights, self._own = False, None, [], {}
        self._slots, self._slot_names = {}, []
        self._graph, self._restored = None, None
        self._initial_decay = kwargs.get("decay") or 0.0
        self.gradient_aggregator, self.gradient_transformers = gradient_aggregator, list(gradient_transformers or ())
        self.clipnorm, self.clipvalue, self.global_clipnorm = (kwargs.get(option) for option in ("clipnorm", "clipvalue", "global_clipnorm"))
        if self.clipnorm is not None and self.global_clipnorm is not None:
            raise ValueError("Cannot accept both `clipnorm` and `global_clipnorm`. Received: `clipnorm`=%s, `global_clipnorm`=%s." % (
                self.clipnorm, self.global_clipnorm))

    # ---- numbers

    def _set_hyper(self, name, value):
        """A number, a tensor, a function or a schedule; the variable takes it where there is one."""
        known = self._hyper.get(name)
        if not _is_variable(known) or isinstance(value, _schedules.LearningRateSchedule):
            self._hyper[name] = value
        else:
            _backend().set_value(known, value)

    def _get_hyper(self, name, dtype=None):
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, _schedules.LearningRateSchedule):
            return value
        if callable(value):
            value = value()
        return _tf.cast(value, dtype) if dtype else value

    def _serialize_hyperparameter(self, name):
        """What a config says of it."""
        value = self._hyper[name]
        if isinstance(value, _schedules.LearningRateSchedule):
            return _schedules.serialize(value)
        if isinstance(value, (_native.Variable, _native.Tensor)):
            return _backend().get_value(value)
        return value() if callable(value) else value

    def __getattr__(self, name):
        hyper = self.__dict__.get("_hyper", {})
        found = "learning_rate" if name == "lr" else name
        if found in hyper:
            return self._get_hyper(found)
        raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))

    def __setattr__(self, name, value):
        found = "learning_rate" if name == "lr" else name
        if found in self.__dict__.get("_hyper", {}):
            self._set_hyper(found, value)
        elif name in ("clipnorm", "clipvalue", "global_clipnorm") and value is not None and self.gradient_transformers:
            raise ValueError("`%s` cannot be set when `gradient_transformers` is set. Instead, use the `gradient_transformers` to specify clipping "
                             "and other transformations. Received: val=%s, gradient_transformers=%s." % (name, value, self.gradient_transformers))
        else:
            object.__setattr__(self, name, value)

    def __dir__(self):
        return [*super().__dir__(), *self._hyper, *(["lr"] if "learning_rate" in self._hyper else [])]

    def _decayed_lr(self, dtype):
        """The learning rate of this step."""
        rate = self._get_hyper("learning_rate", dtype)
        if isinstance(rate, _schedules.LearningRateSchedule):
            rate = _tf.cast(rate(_tf.cast(self.iterations, dtype)), dtype)
        if self._initial_decay > 0.0:
            rate = rate / (1.0 + _tf.cast(self._initial_decay, dtype) * _tf.cast(self.iterations, dtype))
        return rate

    # ---- its variables

    @property
    def iterations(self):
        """The number of steps that were made."""
        if self._iterations is None:
            self._iterations = self.add_weight("iter", (), _tf.int64, trainable=False)
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable):
        if self._iterations is not None:
            raise RuntimeError("Cannot set `iterations` to a new Variable after the Optimizer weights have been created. Here it is attempting to "
                               "set `iterations` to %s." % (variable,))
        object.__setattr__(self, "_iterations", variable)
        self._weights.append(variable)

    def _create_hypers(self):
        if self._hypers_created:
            return
        for name, value in sorted(self._hyper.items(), key=lambda item: item[0]):
            if not isinstance(value, (_native.Tensor, _native.Variable)) and not callable(value):
                self._hyper[name] = self._own[name] = self.add_weight(name, (), trainable=False, initializer=value)
        object.__setattr__(self, "_hypers_created", True)

    @_contextlib.contextmanager
    def _at_home(self, graph=None):
        """Variables are made in the graph of those that are trained, or outside of all graphs, whatever a step waits for."""
        graph = graph or self._graph
        with _contextlib.ExitStack() as stack:
            if graph is not None and not (_tf.executing_eagerly() and _is_eager(graph)):
                stack.enter_context(graph.as_default())
            stack.enter_context(_tf.control_dependencies(None))
            yield

    def _settle(self, graph):
        """From now on its variables are those of this graph; what it kept in another one stays behind, but for its numbers."""
        if self._graph is not None and self._graph == graph:
            return
        known = next((value for value in (self._iterations, *self._hyper.values()) if _is_variable(value)), None)
        if known is not None and known.graph != graph and known in (self._iterations, *self._own.values()):
            for name, variable in list(self._own.items()):
                if self._hyper.get(name) is variable:
                    self._hyper[name] = _backend().get_value(variable).item()
            self._hypers_created, self._iterations, self._weights, self._own = False, None, [], {}
            self._slots, self._slot_names = {}, []
        self._graph = graph

    def add_weight(self, name, shape, dtype=None, initializer="zeros", trainable=None):
        """A variable of its own."""
        from flowray.tf.keras import initializers
        dtype = dtype or _tf.float32
        with self._at_home():
            if isinstance(initializer, str) or callable(initializer):
                value = initializers.get(initializer)(tuple(shape), dtype)
            else:
                value = _tf.cast(_tf.constant(initializer, shape=tuple(shape)), dtype)
            variable = _tf.Variable(value, trainable=trainable is not False, name=self._named(name), use_resource=_uses_resources())
        self._own[name] = variable
        return variable

    def _named(self, name):
        """The scope of a function's step is not that of the variables outside of it: their names say all of it."""
        return "%s/%s" % (self._name, name) if self._is_in_function and _tf.executing_eagerly() else name

    _is_in_function = False

    def add_slot(self, var, slot_name, initializer="zeros", shape=None):
        """What is kept for a variable under this name, made where it is not there."""
        from flowray.tf.keras import initializers
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        kept = self._slots.setdefault(var.op.name, {})
        if slot_name not in kept:
            dtype = var.dtype.base_dtype
            with self._at_home(var.graph):
                value = initializer
                if isinstance(initializer, str) or callable(initializer):
                    wanted = initializers.get(initializer)
                    value = wanted(tuple(var.shape.as_list()) if shape is None else tuple(shape), dtype)
                kept[slot_name] = _tf.Variable(value, trainable=False, dtype=dtype, name=self._named("%s/%s" % (var.op.name, slot_name)),
                                               use_resource=var._is_resource)
            self._weights.append(kept[slot_name])
        return kept[slot_name]

    def get_slot(self, var, slot_name):
        """What add_slot() made."""
        return self._slots[var.op.name][slot_name]

    def get_slot_names(self):
        """What is kept for each variable."""
        return self._slot_names

    def _create_slots(self, var_list):
        pass

    def _create_all_weights(self, var_list):
        if var_list:
            self._settle(var_list[0].graph)
        _ = self.iterations
        self._create_hypers()
        self._create_slots(var_list)
        if _objects.is_waiting():
            _objects.sync()  # a checkpoint that was restored before them has their values

    # ---- steps

    def _prepare(self, var_list):
        """By device and dtype what all updates of a step share."""
        state = {}
        for var in var_list:
            key = var.device, var.dtype.base_dtype
            if key not in state:
                state[key] = {}
                self._prepare_local(*key, state)
        return state

    def _prepare_local(self, var_device, var_dtype, apply_state):
        if "learning_rate" in self._hyper:
            apply_state[(var_device, var_dtype)]["lr_t"] = _tf.identity(self._decayed_lr(var_dtype))

    def _fallback_apply_state(self, var_device, var_dtype):
        """The same for classes that do not hand it on."""
        state = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[(var_device, var_dtype)]

    def _shared(self, var, apply_state):
        key = var.device, var.dtype.base_dtype
        return (apply_state or {}).get(key) or self._fallback_apply_state(*key)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        raise NotImplementedError("`_resource_apply_dense` must be implemented in subclasses.")

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        raise NotImplementedError("`_resource_apply_sparse` Must be implemented in subclasses.")

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices, **kwargs):
        """Rows that come more than once are summed up before the rule sees them."""
        rows, numbers = _tf.unique(indices)
        return self._resource_apply_sparse(_tf.unsorted_segment_sum(grad, numbers, _tf.shape(rows)[0]), var, rows, **kwargs)

    def _transform_gradients(self, grads_and_vars):
        """Clips them, and does what the program wants done."""
        if self.clipvalue is not None:
            grads_and_vars = [(_clipped(grad, self.clipvalue), var) for grad, var in grads_and_vars]
        if self.clipnorm is not None:
            grads_and_vars = [(_tf.clip_by_norm(grad, self.clipnorm), var) for grad, var in grads_and_vars]
        if self.global_clipnorm is not None:
            grads, variables = zip(*grads_and_vars)
            grads_and_vars = list(zip(_tf.clip_by_global_norm(list(grads), self.global_clipnorm)[0], variables))
        for transform in self.gradient_transformers:
            grads_and_vars = transform(grads_and_vars)
        return grads_and_vars

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        """Makes a step. In a graph it gives the operation that does, while operations run at once the number of steps."""
        pairs = _with_gradients(grads_and_vars)
        self._is_in_function = not _tf.executing_eagerly()
        try:
            with _tf.name_scope(self._name):
                self._create_all_weights([var for _, var in pairs])
                if not pairs:
                    return _tf.no_op()
                state = self._prepare([var for _, var in pairs])
                if experimental_aggregate_gradients and self.gradient_aggregator is not None:
                    pairs = self.gradient_aggregator(pairs)
                return self._applied(self._transform_gradients(pairs), state, name or self._name)
        finally:
            self._is_in_function = False

    def _applied(self, pairs, state, name):
        if _tf.executing_eagerly():
            for grad, var in pairs:
                self._updated(grad, var, state)
            return self.iterations.assign_add(1)
        updates = []
        with _tf.name_scope(name):
            for grad, var in pairs:
                with _tf.name_scope("update_" + var.op.name), _tf.colocate_with(var.op):
                    updates.append(self._updated(grad, var, state))
            with _tf.control_dependencies([update for update in updates if update is not None]):
                return self.iterations.assign_add(1, read_value=False)

    def _updated(self, grad, var, state):
        if isinstance(var, _native.Tensor):
            raise NotImplementedError("Updating a `Tensor` is not implemented. Received: var=%s." % (var,))
        if isinstance(grad, _tf.IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable. Received: grad=%s, var.constraint=%s." % (
                    grad, var.constraint))
            return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices, apply_state=state)
        update = self._resource_apply_dense(grad, var, apply_state=state)
        if var.constraint is None:
            return update
        with _tf.control_dependencies([update] if update is not None and not _tf.executing_eagerly() else []):
            return var.assign(var.constraint(var))

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        """Makes a step that makes what the function `loss` gives smaller. A tensor needs the tape that recorded it."""
        return self.apply_gradients(self._compute_gradients(loss, var_list, grad_loss, tape), name=name)

    def _compute_gradients(self, loss, var_list, grad_loss=None, tape=None):
        """[(gradient, variable)]"""
        if not callable(loss) and tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed. Received: loss=%s, tape=%s." % (loss, tape))
        if callable(loss) and tape is None and not _tf.executing_eagerly():
            return self._gradients_in_graph(loss(), var_list, grad_loss)
        tape = tape or _tf.GradientTape()
        if callable(loss):
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = loss()
        if callable(var_list):
            var_list = var_list()
        var_list = _nest.flatten(var_list)
        with _tf.name_scope(self._name + "/gradients"):
            pairs = list(zip(tape.gradient(loss, var_list, grad_loss), var_list))
        self._check_dtypes(pairs)
        return pairs

    def _gradients_in_graph(self, loss, var_list, grad_loss):
        var_list = _nest.flatten(var_list() if callable(var_list) else var_list)
        with _tf.name_scope(self._name + "/gradients"):
            pairs = list(zip(_tf.gradients(loss, var_list, grad_loss), var_list))
        self._check_dtypes(pairs)
        return pairs

    def _check_dtypes(self, pairs):
        valid = [_tf.as_dtype(name) for name in _VALID]
        for grad, var in pairs:
            if grad is not None and var.dtype.base_dtype not in valid:
                raise ValueError("Invalid type %r for %s, expected: %s." % (var.dtype.base_dtype, var.name, valid))

    def get_gradients(self, loss, params):
        """In a graph the gradients of the loss for each of the variables, which all must have one."""
        params = _nest.flatten(params)
        with _tf.name_scope(self._name + "/gradients"):
            grads = _tf.gradients(loss, params)
        self._check_all_there(zip(grads, params))
        return grads

    def _check_all_there(self, pairs):
        for grad, var in pairs:
            if grad is None:
                raise ValueError("Variable %s has `None` for gradient. Please make sure that all of your ops have a gradient defined (i.e. are "
                                 "differentiable). Common ops without gradient: K.argmax, K.round, K.eval." % (var,))

    def _check_in_model(self, pairs):
        """Of a model's step: each weight that is trained has a gradient, or while operations run at once one of them has."""
        if _is_eager(pairs[0][1].graph):
            _with_gradients(pairs)
        else:
            self._check_all_there(pairs)

    def get_updates(self, loss, params):
        """In a graph the operations that make a step."""
        pairs = list(zip(self.get_gradients(loss, params), _nest.flatten(params)))
        self._check_dtypes(pairs)
        return [self.apply_gradients(pairs)]

    # ---- values, configs and files

    @property
    def weights(self):
        """The number of steps, and what is kept for each variable."""
        return self._weights

    def variables(self):
        """weights"""
        return self._weights

    def get_weights(self):
        """The values of weights."""
        return _backend().batch_get_value(self.weights)

    def set_weights(self, weights):
        """Values for weights, in the order of get_weights."""
        params = self.weights
        if len(params) != len(weights):
            raise ValueError("You called `set_weights(weights)` on optimizer %s with a  weight list of length %d, but the optimizer was expecting %d "
                             "weights. Provided weights: %s..." % (self._name, len(weights), len(params), str(weights)[:50]))
        for param, value in zip(params, weights):
            if tuple(param.shape.as_list()) != _np.shape(value):
                raise ValueError("Optimizer weight shape %s not compatible with provided weight shape %s." % (
                    tuple(param.shape.as_list()), _np.shape(value)))
        _backend().batch_set_value(zip(params, weights))

    def get_config(self):
        """The arguments that make such a rule."""
        config = {"name": self._name}
        config.update({name: getattr(self, name) for name in ("clipnorm", "clipvalue", "global_clipnorm") if getattr(self, name) is not None})
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The rule that get_config() told of."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = _schedules.deserialize(config["learning_rate"], custom_objects)
        return cls(**config)

    def _checkpoint_children(self):
        made = [("iter", self._iterations)] if self._iterations is not None else []
        return made + sorted((name, variable) for name, variable in self._own.items() if name != "iter")

    def _slots_by_name(self):
        """{name of a slot: {name of a variable: the slot}}."""
        return {name: {var: kept[name] for var, kept in self._slots.items() if name in kept} for name in self._slot_names}

    def __getstate__(self):
        """Its numbers; variables stay where they are."""
        hyper = {name: _backend().get_value(value).item() if _is_variable(value) else value for name, value in self._hyper.items()}
        return {**self.__dict__, "_hyper": hyper, "_hypers_created": False, "_iterations": None, "_weights": [], "_own": {}, "_slots": {},
                "_slot_names": [], "_graph": None, "_restored": None}

    def __setstate__(self, state):
        self.__dict__.update(state)


def _unique_name(name):
    """own_rule, own_rule_1 and so on for OwnRule."""
    name = _re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    count = _backend().get_uid("optimizer/" + name) - 1
    return "%s_%d" % (name, count) if count else name


def _is_eager(graph):
    with graph.as_default():
        return _tf.executing_eagerly()


def _uses_resources():
    return not _tf.executing_eagerly()
