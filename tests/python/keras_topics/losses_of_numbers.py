"""Regression losses of each element."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
losses = tf.keras.losses
truth, guess = tf.constant(numbers(3, 4)), tf.constant(numbers(3, 4)[::-1].copy() + 0.1)
for name in ("mse", "mae", "mape", "msle", "mean_squared_error", "mean_absolute_error", "logcosh", "huber", "poisson", "cosine_similarity"):
    print(name, losses.get(name).__name__, rounded(backend.eval(losses.get(name)(truth + 0.2, guess))))
