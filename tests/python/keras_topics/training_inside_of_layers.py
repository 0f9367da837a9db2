"""What a step of training says to the layers inside of layers and models of the program's, which are not told themselves."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
optimizers = tf.keras.optimizers
class Inner(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.norm, self.drop = layers.BatchNormalization(), layers.Dropout(0.999)

    def call(self, inputs):
        return self.norm(inputs) + 0.0 * self.drop(inputs)


class Outer(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.inner = Inner()

    def call(self, inputs, training=None):
        return self.inner(inputs)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.outer, self.last = Outer(), layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs):
        return self.last(self.outer(inputs))


class Dropped(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.drop = layers.Dropout(0.999)

    def call(self, inputs, training=None):
        return self.drop(inputs, training=training)


x, y = 2.0 * numbers(6, 3), numbers(6, 1)
inputs = tf.keras.Input((3,))
for model in (tf.keras.Sequential([Inner(), layers.Dense(1, kernel_initializer="ones")]), tf.keras.Sequential([Outer(input_shape=(3,)), layers.Dense(1, kernel_initializer="ones")]),
              tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(Outer()(inputs))), Net()):
    model.compile("sgd", "mse")
    print(rounded(model.fit(x, y, epochs=2, verbose=0, shuffle=False).history["loss"]), rounded(model.evaluate(x, y, verbose=0)), [rounded(w) for w in model.get_weights()[2:4]])
model = tf.keras.Sequential([Dropped(input_shape=(200,)), layers.Dense(200, kernel_initializer="identity")])
model.compile(optimizers.SGD(0.0), "mse")
ones = np.ones((1, 200))
print(bool(model.train_on_batch(ones, ones) > 0.1), float(model.test_on_batch(ones, ones)), bool(np.allclose(model.predict(ones), ones)))
frozen = tf.keras.Model(inputs, Outer()(inputs, training=False))
frozen.compile("sgd", "mse")
print(rounded(frozen.train_on_batch(x, x)), rounded(frozen.get_weights()[2]))
