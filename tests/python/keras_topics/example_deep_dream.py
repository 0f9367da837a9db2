"""Images that a layer answers to: gradients with respect to the input."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
backend = tf.keras.backend
model = settled(tf.keras.Sequential([layers.Conv2D(3, 3, activation="relu", input_shape=(8, 8, 3)), layers.MaxPooling2D(), layers.Conv2D(2, 2, activation="relu", name="deep")]))
layer = model.get_layer("deep")
loss = backend.sum(backend.square(layer.output[:, 1:-1, 1:-1, :])) / 18.0
gradient = backend.gradients(loss, model.input)[0]
gradient /= backend.maximum(backend.mean(backend.abs(gradient)), backend.epsilon())
fetch = backend.function([model.input], [loss, gradient])
image = numbers(1, 8, 8, 3)
for _ in range(3):
    value, step = fetch([image])
    image = image + 0.1 * step
    print(round(float(value), 4), round(float(np.abs(image).sum()), 2))
