"""Cells of tf.keras.layers, and RNN, which runs one, or one of the program's, over time."""

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest
from flowray.tf.keras import _configs, _custom_objects, activations, constraints, initializers, regularizers

Layer = _native.keras.Layer


class _Cell(Layer):
    _gates = 1

    def __init__(self, units, activation, recurrent_activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer,
                 kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint, dropout,
                 recurrent_dropout, **options):
        super().__init__(**options)
        if units < 1:
            raise ValueError("Received an invalid value for argument `units`, expected a positive integer, got %s." % units)
        if dropout or recurrent_dropout:
            raise NotImplementedError("%s(dropout=, recurrent_dropout=) is not there yet: SimpleRNN, LSTM and GRU have them"
                                      % type(self).__name__)
        self.units, self.activation, self.use_bias = units, activations.get(activation), use_bias
        self.recurrent_activation = activations.get(recurrent_activation)
        self.kernel_initializer, self.recurrent_initializer = initializers.get(kernel_initializer), initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer, self.recurrent_regularizer = regularizers.get(kernel_regularizer), regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint, self.recurrent_constraint = constraints.get(kernel_constraint), constraints.get(recurrent_constraint)
        self.bias_constraint, self.dropout, self.recurrent_dropout = constraints.get(bias_constraint), dropout, recurrent_dropout
        self.state_size, self.output_size = units, units

    def build(self, input_shape):
        features = _tf.TensorShape(input_shape).as_list()[-1]
        width = self._gates * self.units
        self.kernel = self.add_weight(name="kernel", shape=(features, width), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight(name="recurrent_kernel", shape=(self.units, width), initializer=self.recurrent_initializer,
                                                regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint)
        self.bias = self.add_weight(name="bias", shape=self._bias_shape(), initializer=self._first_bias(), regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None
        super().build(input_shape)

    def _bias_shape(self):
        return (self._gates * self.units,)

    def _first_bias(self):
        return self.bias_initializer

    def _parts(self, x):
        return _tf.split(x, self._gates, axis=-1)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros."""
        return _nest.map_structure(lambda size: _zeros(batch_size, size), self.state_size)

    def get_config(self):
        config = {**super().get_config(), "units": self.units, "activation": activations.serialize(self.activation), "use_bias": self.use_bias}
        for name in ("kernel_initializer", "recurrent_initializer", "bias_initializer"):
            config[name] = initializers.serialize(getattr(self, name))
        for name in ("kernel_regularizer", "recurrent_regularizer", "bias_regularizer"):
            config[name] = regularizers.serialize(getattr(self, name))
        for name in ("kernel_constraint", "recurrent_constraint", "bias_constraint"):
            config[name] = constraints.serialize(getattr(self, name))
        return {**config, "dropout": self.dropout, "recurrent_dropout": self.recurrent_dropout}

    @classmethod
    def from_config(cls, config):
        return cls(**_configs.arguments_of(cls, config))


def _zeros(batch_size, size):
    sizes = _tf.TensorShape(size).as_list() if not hasattr(size, "__index__") else [size]
    made = _tf.zeros([batch_size, *sizes])
    made.set_shape([None, *sizes])
    return made


class SimpleRNNCell(_Cell):
    """output = state = activation(inputs * kernel + state * recurrent_kernel + bias)."""

    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, **options):
        super().__init__(units, activation, None, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer,
                         recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint, dropout,
                         recurrent_dropout, **options)

    def call(self, inputs, states, training=None):
        state = states[0] if _nest.is_nested(states) else states
        made = _tf.matmul(inputs, self.kernel)
        made = made + self.bias if self.use_bias else made
        made = self.activation(made + _tf.matmul(state, self.recurrent_kernel))
        return made, [made] if _nest.is_nested(states) else made


class LSTMCell(_Cell):
    """Long short-term memory."""

    _gates = 4

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 dropout=0.0, recurrent_dropout=0.0, implementation=1, **options):
        super().__init__(units, activation, recurrent_activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer,
                         kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint,
                         dropout, recurrent_dropout, **options)
        self.unit_forget_bias, self.implementation, self.state_size = unit_forget_bias, implementation, [units, units]

    def _first_bias(self):
        if not self.unit_forget_bias:
            return self.bias_initializer

        def first(shape, dtype=None, partition_info=None):
            parts = [self.bias_initializer([self.units]), _tf.ones([self.units]), self.bias_initializer([2 * self.units])]
            return _tf.concat([_tf.convert_to_tensor(part) for part in parts], 0)
        return first

    def call(self, inputs, states, training=None):
        hidden, memory = states
        z = _tf.matmul(inputs, self.kernel) + _tf.matmul(hidden, self.recurrent_kernel)
        i, f, c, o = self._parts(z + self.bias if self.use_bias else z)
        memory = self.recurrent_activation(f) * memory + self.recurrent_activation(i) * self.activation(c)
        hidden = self.recurrent_activation(o) * self.activation(memory)
        return hidden, [hidden, memory]

    def get_config(self):
        return {**super().get_config(), "recurrent_activation": activations.serialize(self.recurrent_activation),
                "unit_forget_bias": self.unit_forget_bias, "implementation": self.implementation}


class GRUCell(_Cell):
    """Gated recurrent unit."""

    _gates = 3

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, implementation=1, reset_after=False, **options):
        super().__init__(units, activation, recurrent_activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer,
                         kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint,
                         dropout, recurrent_dropout, **options)
        self.implementation, self.reset_after = implementation, reset_after

    def _bias_shape(self):
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, inputs, states, training=None):
        state = states[0] if _nest.is_nested(states) else states
        x = _tf.matmul(inputs, self.kernel)
        if self.use_bias:
            x = x + (self.bias[0] if self.reset_after else self.bias)
        xz, xr, xh = self._parts(x)
        kz, kr, kh = self._parts(_tf.convert_to_tensor(self.recurrent_kernel))
        bz, br, bh = self._parts(self.bias[1]) if self.use_bias and self.reset_after else (0.0, 0.0, 0.0)
        update = self.recurrent_activation(xz + _tf.matmul(state, kz) + bz)
        reset = self.recurrent_activation(xr + _tf.matmul(state, kr) + br)
        memory = reset * (_tf.matmul(state, kh) + bh) if self.reset_after else _tf.matmul(reset * state, kh)
        made = update * state + (1.0 - update) * self.activation(xh + memory)
        return made, [made] if _nest.is_nested(states) else made

    def get_config(self):
        return {**super().get_config(), "recurrent_activation": activations.serialize(self.recurrent_activation),
                "implementation": self.implementation, "reset_after": self.reset_after}


class StackedRNNCells(Layer):
    """Cells one behind the other, as one."""

    def __init__(self, cells, **options):
        for cell in cells:
            if "call" not in dir(cell):
                raise ValueError("All cells must have a `call` method. Received cell without a `call` method: %s" % cell)
            if "state_size" not in dir(cell):
                raise ValueError("All cells must have a `state_size` attribute. Received cell without a `state_size`: %s" % cell)
        super().__init__(**options)
        self.cells = list(cells)

    state_size = property(lambda self: tuple(cell.state_size for cell in self.cells))
    output_size = property(lambda self: getattr(self.cells[-1], "output_size", None) or _nest.flatten(self.cells[-1].state_size)[0])

    def build(self, input_shape):
        super().build(input_shape)

    def call(self, inputs, states, training=None):
        new = []
        for cell, state in zip(self.cells, states):
            wrapped = state if _nest.is_nested(state) else [state]
            inputs, made = cell(inputs, wrapped)
            new.append(made if _nest.is_nested(state) else made[0])
        return inputs, new

    def get_config(self):
        return {**super().get_config(), "cells": [{"class_name": _configs.class_name_of(cell), "config": cell.get_config()}
                                                  for cell in self.cells]}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        return cls([_cell_from(told, custom_objects) for told in config.pop("cells")], **config)


def _cell_from(told, custom_objects=None):
    cls = _custom_objects.found(told["class_name"], custom_objects) or globals().get(told["class_name"])
    if cls is None:
        raise ValueError("Unknown layer: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is included "
                         "in the scope." % told["class_name"])
    return cls.from_config(told["config"])


def _swapped(values):
    """[batch, time, ...] as [time, batch, ...], and the other way round."""
    return None if values is None else _tf.transpose(values, [1, 0, *range(2, values.shape.ndims)])


def _over_time(step, inputs, states, mask, go_backwards, unroll):
    """(the last output, outputs of all times, last states) of step(inputs of a time, states); inputs and outputs are [batch, time, ...]."""
    last, outputs, states = _over_first(step, _swapped(inputs), states, _swapped(mask), go_backwards, unroll)
    return last, _swapped(outputs), states


def _over_first(step, by_time, states, mask_by_time, go_backwards, unroll):
    """The same of [time, batch, ...]."""
    if go_backwards:
        by_time = _tf.reverse(by_time, [0])
        mask_by_time = None if mask_by_time is None else _tf.reverse(mask_by_time, [0])
    length = by_time.shape.as_list()[0]
    structure = states

    def masked(counts, new, old):
        return _tf.where(counts, new, old)

    def one(t, previous, flat):
        output, new = step(by_time[t], _nest.pack_sequence_as(structure, list(flat)))
        new = _nest.flatten(new)
        if mask_by_time is not None:
            counts = mask_by_time[t]
            output = masked(counts, output, previous if previous is not None else _tf.zeros_like(output))
            new = [masked(counts, now, old) for now, old in zip(new, flat)]
        return output, new
    flat = _nest.flatten(states)
    if unroll:
        if not length:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
        outputs, previous = [], None
        for t in range(length):
            previous, flat = one(t, previous, flat)
            outputs.append(previous)
        return previous, _tf.stack(outputs), _nest.pack_sequence_as(structure, flat)
    count = _tf.shape(by_time)[0]
    first, _ = one(0, None, flat)  # tells the outputs' shape
    kept = _tf.TensorArray(first.dtype, size=count)

    def body(t, previous, array, *now):
        output, new = one(t, previous, now)
        for old, made in zip(now, new):
            made.set_shape(old.shape)
        output.set_shape(previous.shape)
        return (t + 1, output, array.write(t, output), *new)
    _, last, array, *flat = _tf.while_loop(lambda t, *rest: t < count, body, [_tf.constant(0), _tf.zeros_like(first), kept, *flat])
    outputs = array.stack()
    outputs.set_shape([length, *first.shape.as_list()])
    return last, outputs, _nest.pack_sequence_as(structure, flat)


class KeptStates:
    """Variables for what a stateful layer keeps between batches, which are no weights of it."""

    def __init__(self):
        self.variables = []

    def begun(self, layer, inputs, sizes):
        """What the last batch ended with."""
        batch = inputs.shape.as_list()[1 if layer.time_major else 0]
        if batch is None:
            raise ValueError("If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input tensors: \n- If using a "
                             "Sequential model, specify the batch size by passing a `batch_input_shape` argument to your first layer.\n- If using "
                             "the functional API, specify the batch size by passing a `batch_shape` argument to your Input layer.")
        if not self.variables:
            self.variables = [_tf.Variable(_np.zeros((batch, *_tf.TensorShape(size).as_list()), _np.float32), trainable=False, name="state")
                              for size in _nest.flatten(sizes)]
        return _nest.pack_sequence_as(sizes, [_tf.identity(variable) for variable in self.variables])

    def with_last(self, outputs, states):
        """The outputs, which put the states into the variables when they are asked for."""
        puts = [variable.assign(state) for variable, state in zip(self.variables, _nest.flatten(states))]
        if _tf.executing_eagerly():
            return outputs
        with _tf.control_dependencies(puts):
            return _tf.identity(outputs)

    def reset(self, layer, values):
        if not self.variables:
            if values is None:
                return  # they begin with zeros
            raise ValueError("Layer %s has no states yet: it gets them by its first call" % layer.name)
        values = [_np.zeros(one.shape.as_list(), _np.float32) for one in self.variables] if values is None else _nest.flatten(values)
        if len(values) != len(self.variables):
            raise ValueError("Layer %s expects %d states, but it received %d state values. Input received: %s" % (
                layer.name, len(self.variables), len(values), values))
        for i, (one, value) in enumerate(zip(self.variables, values)):
            if tuple(one.shape.as_list()) != _np.shape(value):
                raise ValueError("State %d is incompatible with layer %s: expected shape=%s, found shape=%s" % (
                    i, layer.name, tuple(one.shape.as_list()), _np.shape(value)))
            layer._session = _native.keras._set_value(one, _np.asarray(value))


class RNN(Layer):
    """A cell for each time of sequences: one of this module, or of a class of the program's with call(inputs, states) and state_size."""

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False, time_major=False,
                 **options):
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if "call" not in dir(cell):
            raise ValueError("Argument `cell` should have a `call` method. The RNN was passed: cell=%s" % cell)
        if "state_size" not in dir(cell):
            raise ValueError("The RNN cell should have an attribute `state_size` (tuple of integers, one integer per RNN state). Received: "
                             "cell=%s" % cell)
        super().__init__(**options)
        self.cell, self.return_sequences, self.return_state, self.go_backwards = cell, return_sequences, return_state, go_backwards
        self.stateful, self.unroll, self.time_major, self.supports_masking = stateful, unroll, time_major, True
        self._kept = KeptStates()

    states = property(lambda self: list(self._kept.variables) or [None] * len(_nest.flatten(self.cell.state_size)))

    def reset_states(self, states=None):
        """Gives the states that it keeps between batches these values; zeros where none are given."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        self._kept.reset(self, states)

    def call(self, inputs, mask=None, training=None, initial_state=None, constants=None):
        if constants is not None:
            raise NotImplementedError("RNN(constants=) in a call is not there yet")
        if _nest.is_nested(inputs):
            inputs, initial_state = inputs[0], list(inputs[1:]) or initial_state
            mask = mask[0] if _nest.is_nested(mask) else mask
        size = self.cell.state_size
        if initial_state is not None:
            states = initial_state
        elif self.stateful:
            states = self._kept.begun(self, inputs, self._kept_structure(size))
        else:
            states = self._first_states(inputs, size)
        states = list(states) if isinstance(states, (list, tuple)) else [states]

        def step(x, now):
            output, new = self.cell(x, list(now))
            return output, new
        run = _over_first if self.time_major else _over_time
        last, outputs, states = run(step, inputs, states, mask, self.go_backwards, self.unroll)
        made = outputs if self.return_sequences else last
        if self.stateful:
            made = self._kept.with_last(made, states)
        return [made, *states] if self.return_state else made

    @staticmethod
    def _kept_structure(size):
        return list(size) if isinstance(size, (list, tuple)) else [size]

    def _first_states(self, inputs, size):
        batch = _tf.shape(inputs)[1 if self.time_major else 0]
        if hasattr(self.cell, "get_initial_state"):
            states = self.cell.get_initial_state(inputs=None, batch_size=batch, dtype=inputs.dtype)
        else:
            states = _nest.map_structure(lambda one: _zeros(batch, one), list(size) if isinstance(size, (list, tuple)) else size)
        return states if isinstance(states, (list, tuple)) else [states]

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if _nest.is_nested(mask) else mask
        made = mask if self.return_sequences else None
        return [made] + [None] * len(_nest.flatten(self.cell.state_size)) if self.return_state else made

    def get_config(self):
        return {**super().get_config(), "return_sequences": self.return_sequences, "return_state": self.return_state,
                "go_backwards": self.go_backwards, "stateful": self.stateful, "unroll": self.unroll, "time_major": self.time_major,
                "cell": {"class_name": _configs.class_name_of(self.cell), "config": self.cell.get_config()}}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        return cls(_cell_from(config.pop("cell"), custom_objects), **config)
