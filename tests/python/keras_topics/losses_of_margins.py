"""Hinges."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
losses = tf.keras.losses
truth, guess = tf.constant([[1.0, -1.0, 1.0], [0.0, 1.0, 0.0]]), tf.constant([[0.5, 0.3, -2.0], [0.2, 1.5, 0.7]])
for name in ("hinge", "squared_hinge", "categorical_hinge"):
    print(name, rounded(backend.eval(losses.get(name)(truth, guess))), rounded(backend.eval(losses.get(name)(tf.abs(truth), guess))))
model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
settled(model).compile("sgd", "squared_hinge", metrics=["hinge"])
print(rounded(model.train_on_batch(numbers(4, 3), np.sign(numbers(4, 2) - 0.5))), model.metrics_names)
