"""Datasets to train, to validate, to evaluate and to predict by."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
settled(model).compile("sgd", "mse", metrics=["mae"])
pairs = tf.data.Dataset.from_tensor_slices((numbers(6, 3), numbers(6, 1))).batch(2)
print(rounded(model.fit(pairs, epochs=2, verbose=0, validation_data=pairs).history), rounded(model.evaluate(pairs, verbose=0)))
print(rounded(model.fit(pairs.repeat(), steps_per_epoch=2, epochs=3, verbose=0).history["loss"]), model.predict(pairs).shape)
