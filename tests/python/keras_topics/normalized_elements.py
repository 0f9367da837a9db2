"""LayerNormalization over one axis and over several."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(layers.LayerNormalization, 2, 3, 4)
studied(lambda: layers.LayerNormalization(axis=[1, 2], scale=False), 2, 3, 4)
studied(lambda: layers.LayerNormalization(epsilon=0.1, gamma_initializer="zeros", center=False), 2, 4)
