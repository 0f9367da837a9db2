"""SimpleRNNCell, GRUCell and LSTMCell run by RNN."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
for cell in (layers.SimpleRNNCell(2), layers.GRUCell(2), layers.GRUCell(2, reset_after=True), layers.LSTMCell(2, recurrent_activation="sigmoid")):
    inputs = tf.keras.Input((3, 2))
    layer = layers.RNN(cell, return_sequences=True)
    model = settled(tf.keras.Model(inputs, layer(inputs)))
    print(cell.name, list(np.ravel(cell.state_size)), rounded(model.predict(numbers(2, 3, 2))), [weight.name for weight in layer.weights])
