"""validation_split, validation_data and how often."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
x, y = numbers(10, 3), numbers(10, 1)
for options in ({"validation_split": 0.3}, {"validation_data": (x[:3], y[:3])}, {"validation_data": (x, y), "validation_freq": 2}, {"validation_split": 0.25, "batch_size": 2}):
    settled(model).compile("sgd", "mse", metrics=["mae"])
    history = model.fit(x, y, epochs=3, shuffle=False, verbose=0, **{"batch_size": 4, **options})
    print(rounded(history.history), history.params["samples"] if "samples" in history.params else None)
