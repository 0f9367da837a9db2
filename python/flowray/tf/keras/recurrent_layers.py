"""Layers of tf.keras.layers over time: sequences are [batch, time, features]."""

import numpy as _np

from flowray import _native
from flowray.tf.keras._layer_options import fixed, layer_class

_native_keras = _native.keras


def _called(layer, native, inputs, training, initial_state, mask):
    """Calls with the first states behind the sequences."""
    if layer._is_own:  # of the program's class, whose call may have them in another order
        options = {"training": training, "mask": mask, "initial_state": initial_state}
        return native(layer, inputs, **{name: value for name, value in options.items() if value is not None})
    if initial_state is None:
        return native(layer, inputs, training, mask)
    states = list(initial_state) if isinstance(initial_state, (list, tuple)) else [initial_state]
    return native(layer, [inputs, *states], training, mask)


def reset_states(layer, states=None):
    """Gives the states that a stateful layer keeps between batches these values; zeros where none are given."""
    if not layer.stateful:
        raise AttributeError("Layer must be stateful.")
    kept = _native_keras._kept_states_of(layer)
    if not kept:
        if states is None:
            return  # they begin with zeros
        raise ValueError("Layer %s has no states yet: it gets them by its first call" % layer.name)
    shapes = [tuple(one.shape.as_list()) for one in kept]
    if states is None:
        states = [_np.zeros(shape, _np.float32) for shape in shapes]
    states = list(states) if isinstance(states, (list, tuple)) else [states]
    if len(states) != len(kept):
        raise ValueError("Layer %s expects %d states, but it received %d state values. Input received: %s" % (
            layer.name, len(kept), len(states), states))
    values = [value.numpy() if hasattr(value, "numpy") else _np.asarray(value) for value in states]
    for i, (value, shape) in enumerate(zip(values, shapes)):
        if value.shape != shape:
            raise ValueError("State %d is incompatible with layer %s: expected shape=%s, found shape=%s" % (i, layer.name, shape, value.shape))
    for one, value in zip(kept, values):
        layer._session = _native_keras._set_value(one, value)


def _keeps_states(layer):
    """Whether a batch begins with the states that the one before it ended with."""
    return bool((getattr(layer, "_arguments", None) or {}).get("stateful"))


_native_keras.Recurrent.stateful = property(_keeps_states)
_native_keras.Recurrent.states = property(lambda self: _native_keras._kept_states_of(self) or [None] * (2 if isinstance(self, LSTM) else 1))
_native_keras.Recurrent.reset_states = reset_states
_native_keras.Bidirectional.stateful = property(lambda self: self.layer.stateful)
_native_keras.Bidirectional.reset_states = reset_states


@layer_class("kernel", "recurrent", "bias")
class SimpleRNN(_native_keras.SimpleRNN):
    """output = state = activation(inputs * kernel + state * recurrent_kernel + bias)."""

    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", dropout=0.0, recurrent_dropout=0.0, return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, unroll=False, **options):
        super().__init__(units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                         recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer, dropout=dropout,
                         recurrent_dropout=recurrent_dropout, return_sequences=return_sequences, return_state=return_state,
                         go_backwards=go_backwards, stateful=stateful, unroll=unroll, **options)

    def __call__(self, inputs, initial_state=None, training=None, mask=None):
        return _called(self, _native_keras.SimpleRNN.__call__, inputs, training, initial_state, mask)


@layer_class("kernel", "recurrent", "bias")
class LSTM(_native_keras.LSTM):
    """Long short-term memory."""

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True, dropout=0.0, recurrent_dropout=0.0,
                 implementation=1, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False,
                 **options):
        fixed("LSTM", implementation=implementation)
        super().__init__(units, activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
                         kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
                         bias_initializer=bias_initializer, unit_forget_bias=unit_forget_bias, dropout=dropout,
                         recurrent_dropout=recurrent_dropout, return_sequences=return_sequences, return_state=return_state,
                         go_backwards=go_backwards, stateful=stateful, unroll=unroll, **options)

    def __call__(self, inputs, initial_state=None, training=None, mask=None):
        return _called(self, _native_keras.LSTM.__call__, inputs, training, initial_state, mask)


@layer_class("kernel", "recurrent", "bias")
class GRU(_native_keras.GRU):
    """Gated recurrent unit."""

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", dropout=0.0, recurrent_dropout=0.0, implementation=1,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False, reset_after=False, **options):
        fixed("GRU", implementation=implementation)
        super().__init__(units, activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
                         kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
                         bias_initializer=bias_initializer, dropout=dropout, recurrent_dropout=recurrent_dropout,
                         return_sequences=return_sequences, return_state=return_state, go_backwards=go_backwards, stateful=stateful, unroll=unroll,
                         reset_after=reset_after, **options)

    def __call__(self, inputs, initial_state=None, training=None, mask=None):
        return _called(self, _native_keras.GRU.__call__, inputs, training, initial_state, mask)


@layer_class()
class Bidirectional(_native_keras.Bidirectional):
    """Two layers like the given one, of which one reads the sequences from their ends."""

    def __new__(cls, layer=None, *args, **options):
        from flowray.tf.keras import _directions_of_cells, cells  # they need layers
        if isinstance(layer, cells.RNN):
            return _directions_of_cells.Bidirectional(layer, *args, **options)
        return super().__new__(cls)

    def __init__(self, layer, merge_mode="concat", backward_layer=None, name=None, **options):
        if not isinstance(layer, _native_keras.Recurrent):
            raise ValueError("Please initialize `Bidirectional` layer with a `tf.keras.layers.Layer` instance. Received: %s\n"
                             "It is a SimpleRNN, LSTM or GRU." % (layer,))
        if backward_layer is not None and not isinstance(backward_layer, _native_keras.Recurrent):
            raise ValueError("`backward_layer` need to be a `tf.keras.layers.Layer` instance. Received: %s\nIt is a SimpleRNN, LSTM or GRU." % (
                backward_layer,))
        for one in (layer, backward_layer):
            if one is not None and any(getattr(type(one), name) is not getattr(_native_keras.Layer, name) for name in ("build", "call")):
                raise NotImplementedError("Bidirectional of a class that derives from %s and has a call of its own is not there yet: give it as "
                                          "`RNN` of a cell" % type(one)._of_language.__name__)
        super().__init__(layer, merge_mode, None, name, backward_layer, **options)
        self.layer = layer

    def __call__(self, inputs, initial_state=None, training=None, mask=None):
        return _called(self, _native_keras.Bidirectional.__call__, inputs, training, initial_state, mask)


@layer_class()
class TimeDistributed(_native_keras.TimeDistributed):
    """A layer for each time of sequences."""

    def __init__(self, layer, name=None, **options):
        if not isinstance(layer, _native_keras.Layer):
            raise ValueError("Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` instance. Received: %s" % (layer,))
        super().__init__(layer, None, name, **options)
        self.layer = layer
