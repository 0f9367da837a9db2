"""Functions, classes, arrays' values and configs as initializers."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded

layers = tf.keras.layers
backend = tf.keras.backend
def ramp(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(int(np.prod(shape)), dtype=dtype or tf.float32), shape)


layer = layers.Dense(2, kernel_initializer=ramp, bias_initializer=tf.keras.initializers.Constant(0.5))
print(rounded(backend.eval(layer(tf.ones((1, 3))))), layer.get_config()["bias_initializer"]["class_name"])
layer = layers.Dense(2, kernel_initializer={"class_name": "Constant", "config": {"value": 2.0}}, bias_initializer="ones")
print(rounded(backend.eval(layer(tf.ones((1, 3))))), rounded(backend.eval(layers.SimpleRNN(2, kernel_initializer="ones", recurrent_initializer="identity")(tf.ones((1, 2, 3))))))
