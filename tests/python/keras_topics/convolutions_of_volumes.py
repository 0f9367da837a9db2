"""Conv3D, and its transposed kin."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.Conv3D(2, 2), 2, 3, 3, 3, 2)
studied(lambda: layers.Conv3D(1, (1, 2, 2), strides=(1, 2, 2), padding="same", activation="sigmoid"), 2, 3, 4, 4, 1)
studied(lambda: layers.Conv3DTranspose(2, 2, strides=2), 2, 2, 2, 2, 1)
