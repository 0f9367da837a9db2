"""Windows of images."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.MaxPooling2D(), 2, 5, 5, 2)
studied(lambda: layers.MaxPooling2D((3, 2), strides=(2, 2), padding="same"), 2, 6, 5, 1)
studied(lambda: layers.AveragePooling2D(2, padding="same"), 2, 5, 5, 2)
studied(lambda: layers.AvgPool2D((1, 2)), 2, 4, 4, 2)
