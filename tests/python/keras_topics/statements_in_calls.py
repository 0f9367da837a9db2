"""if, while and for on tensors in the call of a layer, a model and a Lambda's function."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers


class Chosen(layers.Layer):
    def call(self, inputs):
        if tf.reduce_sum(inputs) > 1.0:
            made = inputs * 2
        else:
            made = -inputs
        while tf.reduce_sum(made) < 100.0:
            made = made * 2
        for _ in tf.range(3):
            made = made + 1.0
        return made


model = tf.keras.Sequential([Chosen(input_shape=(2,))])
print(rounded(model.predict(np.ones((2, 2)))), rounded(model.predict(-np.ones((1, 2)) * 0.1)))


class Lowered(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(1)

    def call(self, inputs, training=None):
        made = self.dense(inputs)
        if tf.reduce_mean(made) > 0.0:
            made = made - 1.0
        return made


model = Lowered()
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
model.fit(numbers(4, 2), numbers(4, 1), verbose=0)
settled(model)
print(rounded(model.fit(numbers(4, 2), numbers(4, 1), epochs=3, shuffle=False, verbose=0).history), rounded(model.predict(numbers(4, 2))))
print(model.run_eagerly, refused(model.compile, "sgd", "mse", run_eagerly=True))


class Gated(layers.Dense):
    def call(self, inputs):
        made = tf.matmul(inputs, self.kernel)
        if tf.reduce_mean(made) > 0.0:
            return made
        return -made


model = settled(tf.keras.Sequential([Gated(2, use_bias=False, input_shape=(3,))]))
print(rounded(model.predict(numbers(2, 3))), rounded(model.predict(-numbers(2, 3))))
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
print(rounded([model.train_on_batch(numbers(2, 3), numbers(2, 2)) for _ in range(2)]))
