"""Callbacks and learning rates while operations run at once."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
x, y = numbers(6, 3), numbers(6, 1)
for made in (tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5), tf.keras.callbacks.ReduceLROnPlateau("loss", patience=0, min_delta=10.0), tf.keras.callbacks.EarlyStopping("loss", min_delta=1.0, patience=1)):
    settled(model).compile(optimizers.SGD(0.1), "mse")
    print(rounded(model.fit(x, y, epochs=4, shuffle=False, verbose=0, callbacks=[made]).history, 4))
settled(model).compile(optimizers.SGD(optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)), "mse")
print(rounded(model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0).history, 4))
