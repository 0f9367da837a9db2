"""Dictionaries and lists of inputs and true values."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
a, b = tf.keras.Input((2,), name="left"), tf.keras.Input((3,), name="right")
h = layers.concatenate([a, b])
model = tf.keras.Model([a, b], [layers.Dense(1, name="sum")(h), layers.Dense(2, name="pair")(h)])
settled(model).compile("sgd", "mse")
x = {"right": numbers(4, 3), "left": numbers(4, 2)}
y = {"pair": numbers(4, 2), "sum": numbers(4, 1)}
print(rounded(model.train_on_batch(x, y)), rounded(model.fit(x, y, verbose=0, shuffle=False).history), [one.shape for one in model.predict(x)])
print(model.input_names, model.output_names, rounded(model.evaluate([x["left"], x["right"]], [y["sum"], y["pair"]], verbose=0)))
