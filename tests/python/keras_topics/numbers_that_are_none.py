"""TerminateOnNaN."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
callbacks = tf.keras.callbacks
model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(1,))]))
model.compile(optimizers.SGD(1e20), "mse")
history = model.fit(np.ones((8, 1), np.float32), np.ones((8, 1), np.float32), batch_size=1, epochs=3, verbose=0, callbacks=[callbacks.TerminateOnNaN()])
print(len(history.epoch), [bool(np.isfinite(loss)) for loss in history.history["loss"]])
