"""SimpleRNN in its forms."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.SimpleRNN(3), 2, 4, 3)
studied(lambda: layers.SimpleRNN(2, return_sequences=True, activation="relu", go_backwards=True), 2, 4, 3)
studied(lambda: layers.SimpleRNN(2, unroll=True, use_bias=False, kernel_regularizer="l2"), 2, 3, 2)
studied(lambda: layers.SimpleRNN(2, return_state=True, recurrent_initializer="identity"), 2, 3, 2)
