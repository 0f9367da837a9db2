"""Convolutions of each channel and then of all, of images and of sequences."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.SeparableConv2D(3, 3, depth_multiplier=2), 2, 5, 5, 2)
studied(lambda: layers.SeparableConv2D(2, 3, padding="same", strides=2, activation="relu", use_bias=False), 2, 6, 6, 2)
studied(lambda: layers.SeparableConv1D(3, 3, padding="same", depth_multiplier=2), 2, 6, 2)
