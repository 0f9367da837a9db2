"""Kernels of each place."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.LocallyConnected1D(2, 3), 2, 5, 2)
studied(lambda: layers.LocallyConnected1D(1, 2, strides=2, activation="relu", use_bias=False), 2, 6, 2)
studied(lambda: layers.LocallyConnected2D(2, 2), 2, 3, 3, 1)
