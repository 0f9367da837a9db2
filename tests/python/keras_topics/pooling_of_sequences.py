"""Windows of sequences."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.MaxPooling1D(2), 2, 6, 3)
studied(lambda: layers.MaxPool1D(pool_size=3, strides=1, padding="same"), 2, 5, 2)
studied(lambda: layers.AveragePooling1D(2, strides=3), 2, 7, 2)
