"""Keras models: fit, names of scores, dictionaries of them, and predictions."""

import contextlib
import io

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
model = tf.keras.Sequential([layers.Dense(4, activation="tanh", input_shape=(3,)), layers.Dense(3, activation="softmax")])
settled(model)
x, y = numbers(6, 3), np.arange(6) % 3
model.compile(optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, epochs=2, batch_size=3, shuffle=False, verbose=0, validation_data=(x, y), validation_batch_size=2)
print(rounded(history.history), model.metrics_names, rounded(model.evaluate(x, y, verbose=0, return_dict=True)))
print(rounded(model.train_on_batch(x, y, return_dict=True)), rounded(model.test_on_batch(x, y)), type(model(x)).__module__ != "numpy", rounded(model(x[:1]).numpy()))
model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
model.compile("sgd", "mse", metrics=["mae", "mean_squared_error", tf.keras.metrics.MeanAbsoluteError(name="error")])
print(rounded(model.fit(x, numbers(6, 2), verbose=0, shuffle=False).history))
