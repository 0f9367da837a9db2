"""ConvLSTM2D, and one that goes on where the last batch ended."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled, studied

layers = tf.keras.layers
studied(lambda: layers.ConvLSTM2D(2, 2, padding="same"), 2, 3, 3, 3, 1)
studied(lambda: layers.ConvLSTM2D(1, (1, 2), return_sequences=True, go_backwards=True), 2, 3, 2, 3, 1)
inputs = tf.keras.Input(batch_shape=(2, 3, 4, 4, 1))
model = settled(tf.keras.Model(inputs, layers.ConvLSTM2D(1, 2, stateful=True)(inputs)))
x = numbers(2, 3, 4, 4, 1)
print([round(float(model.predict(x).sum()), 3) for _ in range(3)], model.reset_states(), round(float(model.predict(x).sum()), 3))
