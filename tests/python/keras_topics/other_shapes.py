"""Layers that change nothing but the shape."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, studied

layers = tf.keras.layers
studied(layers.Flatten, 2, 3, 4)
studied(lambda: layers.Reshape((2, -1)), 2, 3, 4)
studied(lambda: layers.Permute((2, 1)), 2, 3, 4)
studied(lambda: layers.Permute((3, 1, 2)), 2, 2, 3, 4)
studied(lambda: layers.RepeatVector(3), 2, 4)
print(refused(layers.Reshape((5, 2)), tf.keras.Input((3, 4))), refused(layers.RepeatVector(2), tf.keras.Input((3, 4))))
