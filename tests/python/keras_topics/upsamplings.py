"""Each element more than once."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.UpSampling1D(3), 2, 2, 2)
studied(lambda: layers.UpSampling2D((1, 2)), 2, 2, 3, 1)
studied(lambda: layers.UpSampling2D(2, interpolation="bilinear"), 2, 3, 3, 1)
studied(lambda: layers.UpSampling3D((1, 2, 1)), 2, 2, 2, 2, 1)
