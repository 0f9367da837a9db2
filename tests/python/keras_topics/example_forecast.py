"""The next value of a series, by convolutions and by windows."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
series = np.sin(np.arange(20) / 3.0).astype(np.float32)
windows = tf.keras.preprocessing.sequence.TimeseriesGenerator(series[:, None], series, length=4, batch_size=8)
model = tf.keras.Sequential([layers.Conv1D(4, 2, activation="relu", padding="causal", input_shape=(4, 1)), layers.Flatten(), layers.Dense(1)])
settled(model).compile(optimizers.Adam(0.05), "mae")
print(rounded(model.fit_generator(windows, epochs=3, shuffle=False, verbose=0).history), rounded(model.predict_generator(windows)[:3]))
