"""LearningRateScheduler and ReduceLROnPlateau."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
callbacks = tf.keras.callbacks
model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
x, y = numbers(6, 3), numbers(6, 1)
for made in (callbacks.LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch)), callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5),
             callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=0.05), callbacks.ReduceLROnPlateau("loss", factor=0.1, patience=0, min_delta=9.0, min_lr=0.01, cooldown=1)):
    settled(model).compile(optimizers.SGD(0.2), "mse")
    print(rounded(model.fit(x, y, epochs=5, shuffle=False, verbose=0, callbacks=[made]).history, 4))
