"""Cells over time by RNN: those of tf.keras.layers, stacked ones, and one of the program's."""

import json

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return ((np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0).astype(np.float32)


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def without_ids(told):
    """tf.keras numbers objects that several layers may share; stacked cells have no dtype there."""
    if isinstance(told, dict):
        return {name: without_ids(value) for name, value in told.items() if name not in ("shared_object_id", "dtype")}
    return [without_ids(one) for one in told] if isinstance(told, list) else told


class Minimal(layers.Layer):
    """output = state = inputs * kernel + state * recurrent_kernel"""

    def __init__(self, units, **options):
        self.units, self.state_size = units, units
        super().__init__(**options)

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="uniform", name="kernel")
        self.recurrent_kernel = self.add_weight(shape=(self.units, self.units), initializer="uniform", name="recurrent_kernel")
        self.built = True

    def call(self, inputs, states):
        output = tf.matmul(inputs, self.kernel) + tf.matmul(states[0], self.recurrent_kernel)
        return output, [output]

    def get_config(self):
        return {**super().get_config(), "units": self.units}


x = numbers(4, 5, 3)
x[1, 2:] = 0
for make in (lambda: layers.RNN(layers.SimpleRNNCell(4)), lambda: layers.RNN(layers.LSTMCell(3), return_sequences=True),
             lambda: layers.RNN(layers.GRUCell(3), go_backwards=True), lambda: layers.RNN(layers.GRUCell(2, reset_after=True)),
             lambda: layers.RNN(layers.LSTMCell(3, unit_forget_bias=False, recurrent_activation="sigmoid")), lambda: layers.RNN(Minimal(3)),
             lambda: layers.RNN([layers.LSTMCell(3), layers.GRUCell(4), Minimal(2)]), lambda: layers.RNN(layers.SimpleRNNCell(3), unroll=True)):
    for masked in (False, True):
        with tf.Graph().as_default():
            layer = make()
            model = tf.keras.Sequential([layers.Masking(0.0, input_shape=(5, 3)) if masked else layers.Activation("linear", input_shape=(5, 3)), layer])
            model.compile("sgd", "mse")
            print([(weight.name, weight.shape.as_list()) for weight in model.weights])
            model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
            y = numbers(*model.predict(x).shape)
            history = model.fit(x, y, epochs=2, batch_size=2, shuffle=False, verbose=0)
            print("  ", rounded(history.history["loss"]), rounded(model.predict(x))[:8])
            print("  ", json.dumps(without_ids(layer.get_config()), sort_keys=True))
            with tf.keras.utils.custom_object_scope({"Minimal": Minimal}):
                print("  ", type(layer).from_config(layer.get_config()).get_config() == layer.get_config())
