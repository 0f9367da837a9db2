"""BatchNormalization in training and outside of it."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, studied

layers = tf.keras.layers
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, layers.BatchNormalization(momentum=0.5, epsilon=0.01)(inputs))
model.compile("sgd", "mse")
x = numbers(6, 3) * 4.0
print(rounded(model.predict(x[:2])), [(weight.name, weight.trainable) for weight in model.weights])
print(rounded([model.train_on_batch(x, x) for _ in range(3)]), rounded(model.get_weights()), len(model.updates))
model.trainable = False
model.compile("sgd", "mse")
print(rounded(model.train_on_batch(x, x)), rounded(model.get_weights()[2]), len(model.trainable_weights))
studied(lambda: layers.BatchNormalization(axis=1, center=False, beta_initializer="ones"), 3, 2, 2)
