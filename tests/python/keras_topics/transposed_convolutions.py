"""Conv2DTranspose makes images larger."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.Conv2DTranspose(2, 3), 2, 4, 4, 2)
studied(lambda: layers.Conv2DTranspose(1, 2, strides=2, padding="same", activation="tanh"), 2, 3, 3, 2)
print(layers.Conv2DTranspose(4, 3, strides=2, padding="same").compute_output_shape((None, 5, 5, 2)))
