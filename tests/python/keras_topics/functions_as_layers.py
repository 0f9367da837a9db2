"""Lambda layers."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
backend = tf.keras.backend
inputs = tf.keras.Input((4,))
doubled = layers.Lambda(lambda x: 2.0 * x)(inputs)
halves = layers.Lambda(lambda x, by: [x[:, :by], x[:, by:]], arguments={"by": 1})(doubled)
ends = layers.Lambda(lambda pair: backend.concatenate(pair[::-1]), output_shape=(4,), name="turned")(halves)
model = tf.keras.Model(inputs, [doubled, ends])
print(rounded(model.predict(numbers(2, 4))), [layer.name for layer in model.layers], model.count_params())
print(layers.Lambda(backend.square, name="squares").get_config()["name"], model.get_layer("turned").output_shape)
