"""sample_weight in training, in evaluation and in metrics."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
settled(model).compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"])
x, y, w = numbers(6, 3), numbers(6, 1), np.array([1.0, 0.0, 2.0, 1.0, 0.5, 3.0])
print(model.metrics_names, rounded(model.train_on_batch(x, y, sample_weight=w)), rounded(model.evaluate(x, y, sample_weight=w, verbose=0)))
print(rounded(model.fit(x, y, sample_weight=w, validation_data=(x, y, w[::-1]), verbose=0, shuffle=False, batch_size=2).history))
print(refused(model.fit, x, y, sample_weight=w[:3]))
