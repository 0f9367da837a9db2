"""ModelCheckpoint: each epoch, the best, and weights only."""

import os

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
callbacks = tf.keras.callbacks
x, y = numbers(6, 3), numbers(6, 1)
model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
model.compile(optimizers.SGD(0.1), "mse")
model.fit(x, y, epochs=3, verbose=0, shuffle=False, validation_data=(x, y), callbacks=[
    callbacks.ModelCheckpoint("each-{epoch:02d}.h5", save_weights_only=True), callbacks.ModelCheckpoint("best.h5", monitor="val_loss", save_best_only=True),
    callbacks.ModelCheckpoint("worst.h5", monitor="val_loss", mode="max", save_best_only=True)])
print(sorted(name for name in os.listdir(".") if name.startswith(("each", "best", "worst"))))
best, worst = (tf.keras.models.load_model(name) for name in ("best.h5", "worst.h5"))
print(np.allclose(best.get_weights()[0], model.get_weights()[0]), np.allclose(worst.get_weights()[0], model.get_weights()[0]))
model.load_weights("each-02.h5")
print(rounded(model.get_weights()))
