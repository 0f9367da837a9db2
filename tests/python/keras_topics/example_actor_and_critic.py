"""One trunk, two heads and a loss of each that is weighted by advantages."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
inputs = tf.keras.Input((4,))
trunk = layers.Dense(5, activation="relu")(inputs)
model = settled(tf.keras.Model(inputs, [layers.Dense(2, activation="softmax", name="policy")(trunk), layers.Dense(1, name="value")(trunk)]))
model.compile(optimizers.RMSprop(0.01), {"policy": "sparse_categorical_crossentropy", "value": "huber"}, loss_weights={"policy": 1.0, "value": 0.5})
states, actions, returns = numbers(6, 4), np.arange(6) % 2, np.linspace(0.0, 1.0, 6)
for _ in range(3):
    advantages = returns - model.predict(states)[1][:, 0]
    print(rounded(model.train_on_batch(states, [actions, returns], sample_weight={"policy": advantages})))
