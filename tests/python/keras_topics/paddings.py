"""Zeros around sequences, images and volumes."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.ZeroPadding1D(2), 2, 3, 2)
studied(lambda: layers.ZeroPadding1D((0, 1)), 2, 3, 2)
studied(lambda: layers.ZeroPadding2D(((1, 0), (0, 2))), 2, 3, 3, 1)
studied(lambda: layers.ZeroPadding2D((2, 1)), 2, 2, 2, 2)
studied(lambda: layers.ZeroPadding3D((1, 0, 1)), 2, 2, 2, 2, 1)
