"""TimeDistributed layers and models."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled, studied

layers = tf.keras.layers
studied(lambda: layers.TimeDistributed(layers.Dense(2, activation="relu")), 2, 3, 4)
studied(lambda: layers.TimeDistributed(layers.Conv2D(1, 2)), 2, 2, 3, 3, 1)
studied(lambda: layers.TimeDistributed(layers.Flatten()), 2, 2, 3, 2)
inner = tf.keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(1)])
inputs = tf.keras.Input((3, 4))
model = settled(tf.keras.Model(inputs, layers.TimeDistributed(inner)(inputs)))
print(rounded(model.predict(numbers(2, 3, 4))), model.count_params())
