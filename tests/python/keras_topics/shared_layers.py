"""A layer of two inputs, and models as layers."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
encode = layers.Dense(2, activation="tanh", name="encode")
a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
both = tf.keras.Model([a, b], layers.dot([encode(a), encode(b)], axes=1))
settled(both).compile("sgd", "mse")
print(rounded(both.train_on_batch([numbers(4, 3), numbers(4, 3)[::-1]], np.ones((4, 1)))), both.count_params(), len(encode.inbound_nodes), encode.get_output_at(1).shape.as_list())
inner = tf.keras.Sequential([layers.Dense(2, input_shape=(3,)), layers.Dense(1)], name="inner")
outer = tf.keras.Model(a, layers.Add()([inner(a), inner(layers.Lambda(lambda x: 2 * x)(a))]))
print(rounded(settled(outer).predict(numbers(2, 3))), [weight.name for weight in outer.weights], outer.get_layer("inner").count_params())
