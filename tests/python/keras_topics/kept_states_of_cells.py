"""RNN with stateful=True goes on where the last batch ended, in training too."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
model = tf.keras.Sequential([layers.RNN(layers.GRUCell(2), stateful=True, batch_input_shape=(2, 3, 4)), layers.Dense(1)])
settled(model).compile("sgd", "mse")
x, y = numbers(2, 3, 4), np.ones((2, 1))
print([rounded(model.predict(x)) for _ in range(2)], model.reset_states(), rounded(model.predict(x)))
print(rounded(model.train_on_batch(x, y)), rounded(model.predict(x)), model.layers[0].get_config()["stateful"])
model.layers[0].reset_states([np.ones((2, 2))])
print(rounded(model.predict(x)), rounded(model.fit(x, y, epochs=3, batch_size=2, shuffle=False, verbose=0).history["loss"]))
print([weight.name for weight in model.weights], refused(layers.RNN(layers.GRUCell(2), stateful=True), tf.keras.Input((3, 4))))
inputs = tf.keras.Input((3, 4))
model = settled(tf.keras.Model(inputs, layers.RNN(layers.LSTMCell(2), time_major=True, return_sequences=True)(inputs)))
print(rounded(model.predict(numbers(2, 3, 4))))
