"""A layer that adds to the loss of its model."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
class Penalised(layers.Layer):
    def call(self, inputs):
        self.add_loss(0.1 * tf.reduce_mean(tf.square(inputs)))
        return inputs


inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones", bias_regularizer="l1")(Penalised()(inputs)))
model.compile("sgd", "mse")
print(rounded(model.train_on_batch(numbers(4, 3), numbers(4, 1))), rounded(model.evaluate(numbers(4, 3), numbers(4, 1), verbose=0)), len(model.losses))
