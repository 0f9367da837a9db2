"""One number for each channel."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(layers.GlobalMaxPooling1D, 2, 4, 3)
studied(layers.GlobalAveragePooling1D, 2, 4, 3)
studied(layers.GlobalMaxPooling2D, 2, 3, 3, 2)
studied(layers.GlobalAveragePooling2D, 2, 3, 4, 2)
studied(layers.GlobalMaxPooling3D, 2, 2, 3, 2, 2)
studied(layers.GlobalAveragePooling3D, 2, 2, 3, 2, 2)
