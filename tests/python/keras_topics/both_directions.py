"""Bidirectional merges what is read forwards and backwards."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled, studied

layers = tf.keras.layers
for mode in ("concat", "sum", "mul", "ave"):
    studied(lambda mode=mode: layers.Bidirectional(layers.LSTM(2, return_sequences=True), merge_mode=mode), 2, 3, 2)
inputs = tf.keras.Input((3, 2))
model = settled(tf.keras.Model(inputs, layers.Bidirectional(layers.GRU(2), merge_mode=None)(inputs)))
print(rounded(model.predict(numbers(2, 3, 2))), model.output_shape)
