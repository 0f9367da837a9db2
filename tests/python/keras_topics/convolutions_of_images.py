"""Conv2D: strides, padding, dilation and regularizers."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.Conv2D(2, 3), 2, 5, 5, 2)
studied(lambda: layers.Conv2D(3, (2, 3), strides=(2, 1), padding="same", activation="relu"), 2, 5, 6, 1)
studied(lambda: layers.Conv2D(2, 3, dilation_rate=2, use_bias=False, kernel_regularizer=tf.keras.regularizers.l1(0.01)), 2, 7, 7, 2)
print(layers.Conv2D(4, 3, padding="same", strides=2).compute_output_shape((None, 9, 9, 2)))
