"""Where in an image a class was seen."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
inputs = tf.keras.Input((6, 6, 1))
maps = layers.Conv2D(3, 3, activation="relu", name="maps")(inputs)
outputs = layers.Dense(2, activation="softmax", name="classes")(layers.GlobalAveragePooling2D()(maps))
model = settled(tf.keras.Model(inputs, outputs))
weights = model.get_layer("classes").get_weights()[0]
made, chances = tf.keras.Model(inputs, [maps, outputs]).predict(numbers(1, 6, 6, 1))
heat = np.maximum((made[0] * weights[:, int(np.argmax(chances))]).sum(axis=-1), 0)
print(rounded(chances), rounded(heat / (heat.max() + 1e-9), 2))
