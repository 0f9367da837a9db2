"""The edges of sequences, images and volumes taken away."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.Cropping1D(1), 2, 5, 2)
studied(lambda: layers.Cropping1D((0, 2)), 2, 5, 2)
studied(lambda: layers.Cropping2D(((1, 0), (2, 1))), 2, 5, 5, 1)
studied(lambda: layers.Cropping2D(1), 2, 4, 4, 2)
studied(lambda: layers.Cropping3D(1), 2, 3, 3, 4, 1)
