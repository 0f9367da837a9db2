"""A cell of the program's: a mean that forgets."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
backend = tf.keras.backend
utils = tf.keras.utils
class Fading(layers.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units, self.state_size, self.output_size = units, units, units

    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", (int(input_shape[-1]), self.units), initializer="ones")
        super().build(input_shape)

    def call(self, inputs, states):
        mean = 0.5 * states[0] + 0.5 * backend.dot(inputs, self.kernel)
        return mean, [mean]

    def get_config(self):
        return {**super().get_config(), "units": self.units}


inputs = tf.keras.Input((4, 2))
layer = layers.RNN(Fading(3), return_sequences=True)
model = tf.keras.Model(inputs, layer(inputs))
model.compile("sgd", "mse")
print(rounded(model.predict(numbers(2, 4, 2))), rounded(model.train_on_batch(numbers(2, 4, 2), numbers(2, 4, 3))), [w.name for w in model.weights])
with utils.custom_object_scope({"Fading": Fading}):
    print(layers.RNN.from_config(layer.get_config()).cell.units)
