"""GRU in its forms."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.GRU(2), 2, 4, 3)
studied(lambda: layers.GRU(2, reset_after=True, recurrent_activation="sigmoid", return_sequences=True), 2, 4, 3)
studied(lambda: layers.GRU(2, use_bias=False, implementation=2, unroll=True), 2, 3, 2)
