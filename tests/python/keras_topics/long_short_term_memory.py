"""LSTM in its forms."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.LSTM(2), 2, 4, 3)
studied(lambda: layers.LSTM(2, return_sequences=True, recurrent_activation="sigmoid"), 2, 4, 3)
studied(lambda: layers.LSTM(2, implementation=2, unit_forget_bias=False, go_backwards=True), 2, 3, 2)
studied(lambda: layers.LSTM(2, unroll=True, activation="relu", recurrent_constraint="max_norm"), 2, 3, 2)
