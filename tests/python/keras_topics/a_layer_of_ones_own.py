"""A layer with weights, a config and a shape of its own."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, studied

layers = tf.keras.layers
backend = tf.keras.backend
class Scaled(layers.Layer):
    def __init__(self, units=2, **options):
        super().__init__(**options)
        self.units = units
        self.input_spec = layers.InputSpec(ndim=2)

    def build(self, input_shape):
        self.factors = self.add_weight("factors", shape=(int(input_shape[-1]), self.units), initializer="ones", regularizer="l2")
        self.shift = self.add_weight("shift", shape=(self.units,), initializer="zeros", trainable=False)
        super().build(input_shape)

    def call(self, inputs):
        return backend.dot(inputs, self.factors) + self.shift

    def compute_output_shape(self, input_shape):
        return tf.TensorShape([input_shape[0], self.units])

    def get_config(self):
        return {**super().get_config(), "units": self.units}


studied(lambda: Scaled(3), 4, 2)
layer = Scaled()
layer(tf.zeros((1, 3)))
print(len(layer.losses), layer.count_params(), len(layer.trainable_weights), layer.name, refused(layer, tf.zeros((1, 2, 3))))
print(layer.compute_output_shape((4, 3)).as_list(), layer.built, layer.input_spec)
