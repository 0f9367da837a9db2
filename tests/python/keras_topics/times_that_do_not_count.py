"""Masking, embeddings with masks, and what they do to losses."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
x = numbers(3, 4, 2)
x[0, 2:], x[1, 3:] = -1.0, -1.0
model = tf.keras.Sequential([layers.Masking(-1.0, input_shape=(4, 2)), layers.LSTM(3, return_sequences=True), layers.Dense(1)])
settled(model).compile("sgd", "mse", metrics=["mae"])
print(rounded(model.predict(x)), rounded(model.train_on_batch(x, numbers(3, 4, 1))), rounded(model.evaluate(x, numbers(3, 4, 1), verbose=0)))
model = tf.keras.Sequential([layers.Embedding(6, 2, mask_zero=True), layers.GRU(2), layers.Dense(1)])
model.build((None, 4))
print(rounded(settled(model).predict(np.array([[1, 2, 0, 0], [3, 4, 5, 0]]))), model.layers[0].compute_mask(tf.constant([[1, 0]])).shape)
