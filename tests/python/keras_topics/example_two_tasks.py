"""Digits and their parity by one network."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
inputs = tf.keras.Input((6, 6, 1))
h = layers.Flatten()(layers.MaxPooling2D()(layers.Conv2D(3, 3, activation="relu")(inputs)))
model = settled(tf.keras.Model(inputs, [layers.Dense(4, activation="softmax", name="digit")(h), layers.Dense(1, activation="sigmoid", name="odd")(h)]))
model.compile("rmsprop", {"digit": "sparse_categorical_crossentropy", "odd": "binary_crossentropy"}, metrics={"digit": "acc", "odd": "acc"})
digits = np.arange(8) % 4
print(rounded(model.fit(numbers(8, 6, 6, 1), {"digit": digits, "odd": digits % 2}, validation_split=0.25, epochs=2, batch_size=3, shuffle=False, verbose=0).history))
