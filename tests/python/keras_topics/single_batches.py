"""train_on_batch, test_on_batch, predict_on_batch and sizes of batches."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
model.compile("sgd", "mse", metrics=["mae"])
x, y = numbers(7, 3), numbers(7, 2)
print(rounded(model.train_on_batch(x, y)), rounded(model.test_on_batch(x[:2], y[:2])), rounded(model.predict_on_batch(x[:2])))
print(np.allclose(model.predict(x, batch_size=2), model.predict(x, batch_size=7)), rounded(model.evaluate(x, y, batch_size=3, verbose=0)))
