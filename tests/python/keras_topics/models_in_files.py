"""save and load_model: training goes on where it was."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
model = tf.keras.Sequential([layers.Dense(3, activation="tanh", input_shape=(2,)), layers.BatchNormalization(), layers.Dense(1, kernel_regularizer="l2")])
settled(model).compile(optimizers.Adam(0.1), "mse", metrics=["mae"])
model.fit(numbers(6, 2), numbers(6, 1), epochs=2, verbose=0, shuffle=False)
model.save("model.h5")
again = tf.keras.models.load_model("model.h5")
print(np.allclose(again.predict(numbers(2, 2)), model.predict(numbers(2, 2))), again.optimizer.get_config()["name"], again.metrics_names)
print([rounded(one.fit(numbers(6, 2), numbers(6, 1), epochs=2, verbose=0, shuffle=False).history) for one in (model, again)])
print(tf.keras.models.load_model("model.h5", compile=False).optimizer, refused(tf.keras.models.load_model, "none.h5")[0])
print([layer.name for layer in again.layers])
