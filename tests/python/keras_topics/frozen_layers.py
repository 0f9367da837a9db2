"""Layers that are not trained."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.BatchNormalization(), layers.Dense(1)])
settled(model)
model.layers[0].trainable = model.layers[1].trainable = False
model.compile("sgd", "mse")
before = model.get_weights()
model.fit(numbers(6, 2), numbers(6, 1), epochs=2, verbose=0, shuffle=False)
print([bool(np.allclose(one, other)) for one, other in zip(before, model.get_weights())], len(model.trainable_weights), len(model.non_trainable_weights))
model.summary()
