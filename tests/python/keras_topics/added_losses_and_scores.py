"""add_loss and add_metric of a functional model."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
backend = tf.keras.backend
inputs = tf.keras.Input((3,))
h = layers.Dense(2, kernel_initializer="ones", activation="tanh")(inputs)
model = tf.keras.Model(inputs, layers.Dense(3, kernel_initializer="ones")(h))
model.add_loss(backend.mean(backend.square(model.output - inputs)))
model.add_metric(backend.mean(h), name="middle", aggregation="mean")
model.compile("sgd")
print(rounded(model.fit(numbers(4, 3), None, epochs=2, verbose=0, shuffle=False).history), model.metrics_names)
