"""Conv1D: strides, padding, causal and dilated."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.Conv1D(3, 3, padding="same", activation="tanh"), 2, 6, 4)
studied(lambda: layers.Conv1D(2, 2, strides=2), 2, 7, 3)
studied(lambda: layers.Conv1D(2, 3, padding="causal", dilation_rate=2), 2, 6, 3)
print(layers.Conv1D(4, 3).compute_output_shape((None, 8, 2)))
