"""Stateful layers of cells called on values."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
layer = layers.RNN(layers.GRUCell(2, kernel_initializer="ones", recurrent_initializer="ones"), stateful=True)
print([rounded(layer(numbers(2, 3, 4)).numpy()) for _ in range(2)])
layer.reset_states()
print(rounded(layer(numbers(2, 3, 4)).numpy()))
inputs = tf.keras.Input(batch_shape=(2, 3, 4))
model = settled(tf.keras.Model(inputs, layers.RNN(layers.LSTMCell(2), stateful=True)(inputs)))
print([rounded(model.predict(numbers(2, 3, 4), verbose=0)) for _ in range(2)], model.reset_states(), rounded(model.predict(numbers(2, 3, 4), verbose=0)))
