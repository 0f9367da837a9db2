"""An activation of the program's that gives two for each one."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
utils = tf.keras.utils
class Antirectifier(layers.Layer):
    def compute_output_shape(self, input_shape):
        return tf.TensorShape([*input_shape.as_list()[:-1], 2 * input_shape.as_list()[-1]])

    def call(self, inputs):
        inputs = backend.l2_normalize(inputs - backend.mean(inputs, axis=1, keepdims=True), axis=1)
        return backend.concatenate([backend.relu(inputs), backend.relu(-inputs)], axis=1)


model = tf.keras.Sequential([layers.Dense(4, input_shape=(6,)), Antirectifier(), layers.Dropout(0.0), layers.Dense(3, activation="softmax")])
settled(model).compile("rmsprop", "categorical_crossentropy", metrics=["accuracy"])
print(model.layers[1].output_shape, rounded(model.fit(numbers(6, 6), utils.to_categorical(np.arange(6) % 3), epochs=2, batch_size=3, shuffle=False, verbose=0).history))
