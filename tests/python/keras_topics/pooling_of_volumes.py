"""Windows of volumes."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.MaxPooling3D(), 2, 4, 4, 4, 1)
studied(lambda: layers.AveragePooling3D((1, 2, 2), strides=1, padding="same"), 2, 2, 3, 3, 1)
