"""backend.function with the learning phase among its inputs, as programs before TensorFlow 2 write it."""

import numpy as np
import tensorflow.compat.v1 as tf

backend, layers = tf.keras.backend, tf.keras.layers
model = tf.keras.Sequential([layers.Dense(3, kernel_initializer="ones", input_shape=(2,)), layers.Dropout(0.5),
                             layers.Dense(1, kernel_initializer="ones")])
middle = backend.function([model.layers[0].input, backend.learning_phase()], [model.layers[1].output, model.output])
x = np.array([[1.0, 2.0], [0.5, -1.0]], np.float32)
for value in middle([x, 0]):
    print(value.tolist())
