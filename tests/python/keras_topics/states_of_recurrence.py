"""What comes back beside the outputs, and how a sequence begins."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
inputs, start = tf.keras.Input((4, 2)), tf.keras.Input((3,))
outputs, state = layers.GRU(3, return_state=True)(inputs, initial_state=start)
model = settled(tf.keras.Model([inputs, start], [outputs, state]))
print(rounded(model.predict([numbers(2, 4, 2), numbers(2, 3)])))
sequence, h, c = layers.LSTM(2, return_state=True, return_sequences=True)(inputs)
again = layers.LSTM(2)(inputs, initial_state=[h, c])
model = settled(tf.keras.Model(inputs, [sequence, h, c, again]))
print(rounded(model.predict(numbers(2, 4, 2)), 2), [weight.name for weight in model.weights])
