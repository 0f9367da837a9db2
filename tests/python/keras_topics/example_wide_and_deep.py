"""A linear part beside a deep one."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
wide, deep = tf.keras.Input((6,), name="wide"), tf.keras.Input((3,), name="deep")
h = layers.Dense(4, activation="relu")(layers.Dense(4, activation="relu")(deep))
model = settled(tf.keras.Model([wide, deep], layers.Dense(1, activation="sigmoid")(layers.concatenate([wide, h]))))
model.compile(tf.train.FtrlOptimizer(0.1), "binary_crossentropy", metrics=["accuracy"])
print(rounded(model.fit({"wide": np.eye(6), "deep": numbers(6, 3)}, np.arange(6) % 2, epochs=3, batch_size=3, shuffle=False, verbose=0).history))
model.summary()
