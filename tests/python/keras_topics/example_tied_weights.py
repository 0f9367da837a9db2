"""A decoder that uses the encoder's weights the other way round."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
class Tied(layers.Layer):
    def __init__(self, other, **options):
        super().__init__(**options)
        self.other = other

    def build(self, input_shape):
        self.shift = self.add_weight("shift", shape=(self.other.input_shape[-1],), initializer="zeros")
        super().build(input_shape)

    def call(self, inputs):
        return backend.dot(inputs, backend.transpose(self.other.kernel)) + self.shift


inputs = tf.keras.Input((5,))
encoder = layers.Dense(2, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(0.3))
model = tf.keras.Model(inputs, Tied(encoder)(encoder(inputs)))
model.compile(optimizers.SGD(0.2), "mse")
print(rounded(model.fit(numbers(6, 5), numbers(6, 5), epochs=3, shuffle=False, verbose=0).history), rounded(model.predict(numbers(1, 5))))
