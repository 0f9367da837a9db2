"""A model with call() and layers in attributes and lists."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded

layers = tf.keras.layers
class Net(tf.keras.Model):
    def __init__(self, width):
        super().__init__(name="net")
        self.blocks = [layers.Dense(width, activation="tanh", kernel_initializer="ones") for _ in range(2)]
        self.drop, self.last = layers.Dropout(0.0), layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs, training=None):
        for block in self.blocks:
            inputs = block(inputs)
        return self.last(self.drop(inputs, training=training))


model = Net(3)
model.compile("sgd", "mse")
print(rounded(model.fit(numbers(4, 2), numbers(4, 1), epochs=2, shuffle=False, verbose=0).history), [weight.name for weight in model.weights])
print(rounded(model.predict(numbers(2, 2))), len(model.layers), model.count_params(), refused(model.get_layer, "no such"))
model.summary()
