"""Dense layers of batches, of sequences, without bias, and with rules for their weights."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, studied

layers = tf.keras.layers
studied(lambda: layers.Dense(3), 4, 5)
studied(lambda: layers.Dense(2, activation="relu", use_bias=False), 2, 3, 4)
studied(lambda: layers.Dense(3, kernel_regularizer="l2", bias_constraint="non_neg", activity_regularizer="l1"), 4, 5)
print(refused(layers.Dense, "three"))
