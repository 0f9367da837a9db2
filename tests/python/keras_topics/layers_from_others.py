"""Classes of a program's that derive from layers such as Dense, and do something else in build() or call()."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers


class Doubled(layers.Dense):
    """What Dense gives, twice."""

    def call(self, inputs):
        return 2.0 * super().call(inputs)


class Scaled(layers.Dense):
    """Dense with a weight more."""

    def __init__(self, units, factor=3.0, **options):
        super().__init__(units, **options)
        self.factor = factor

    def build(self, input_shape):
        super().build(input_shape)
        self.scale = self.add_weight("scale", shape=(self.units,), initializer=tf.keras.initializers.Constant(self.factor))

    def call(self, inputs):
        made = tf.matmul(inputs, self.kernel) * self.scale
        return self.activation(made + self.bias if self.use_bias else made)

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


class Tied(layers.Dense):
    """A layer whose kernel is its own, made by itself."""

    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", shape=(int(input_shape[-1]), self.units), initializer=self.kernel_initializer)
        self.bias = None
        self.built = True

    def call(self, inputs):
        return tf.matmul(inputs, self.kernel)


class Standardized(layers.Conv2D):
    """A convolution by a kernel without its mean."""

    def call(self, inputs):
        kernel = self.kernel - tf.reduce_mean(self.kernel, axis=[0, 1, 2], keepdims=True)
        made = tf.nn.conv2d(inputs, kernel, strides=[1, *self.strides, 1], padding=self.padding.upper())
        return self.activation(tf.nn.bias_add(made, self.bias))


class Shown(layers.LSTM):
    """An LSTM whose output is turned round."""

    def call(self, inputs, mask=None, training=None, initial_state=None):
        return -super().call(inputs, mask=mask, training=training, initial_state=initial_state)


class Always(layers.Dropout):
    """Dropout in training and not."""

    def call(self, inputs, training=None):
        return super().call(inputs, training=True)


class Named(layers.Dense):
    """A class that changes nothing."""


def shown(layer, *shape):
    inputs = tf.keras.Input(shape[1:])
    model = tf.keras.Model(inputs, layer(inputs))
    settled(model)
    x = numbers(*shape)
    made = model.predict(x)
    print(layer.name, made.shape, rounded(made.ravel()[:4]), [weight.name for weight in layer.weights])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    print("  ", rounded([model.train_on_batch(x, made * 0.5 + 1) for _ in range(3)]), layer.count_params())
    return model


shown(Doubled(3, activation="relu"), 4, 2)
model = shown(Scaled(2, activation="tanh", kernel_regularizer="l2"), 4, 3)
shown(Tied(2), 4, 3)
shown(Standardized(2, (2, 2), padding="same"), 2, 3, 4, 2)
shown(Shown(3), 2, 4, 2)
shown(Shown(3, return_sequences=True, name="turned"), 2, 4, 2)
shown(Named(2, input_shape=(3,)), 4, 3)

# With a config, by which a model is made anew.
config = model.layers[1].get_config()
print(config["units"], config["activation"], config["factor"], config["name"], sorted(config))
again = tf.keras.models.model_from_json(model.to_json(), custom_objects={"Scaled": Scaled})
again.set_weights(model.get_weights())
print(rounded(again.predict(numbers(2, 3)) - model.predict(numbers(2, 3))), type(again.layers[1]).__name__)
clone = tf.keras.models.clone_model(model)
print(type(clone.layers[1]).__name__, clone.count_params(), clone.layers[1].scale.name)
model.save_weights("scaled.h5")
again.set_weights([0 * weight for weight in again.get_weights()])
again.load_weights("scaled.h5")
print(rounded([weight.sum() for weight in again.get_weights()]))
model.summary()

# In a Sequential, with training, masks and initial states.
sequential = settled(tf.keras.Sequential([Doubled(4, input_shape=(3,)), layers.Dropout(0.0), Scaled(2, factor=1.0), layers.Activation("softmax")]))
sequential.compile(tf.keras.optimizers.Adam(0.1), "categorical_crossentropy", metrics=["accuracy"])
print(rounded(sequential.fit(numbers(6, 3), np.eye(2)[np.arange(6) % 2], epochs=2, shuffle=False, verbose=0).history, 2))
print([layer.name for layer in sequential.layers], isinstance(sequential.layers[0], layers.Dense), sequential.layers[0].units)
drops = tf.keras.Sequential([Always(0.5, input_shape=(1000,))])
print(bool((drops.predict(np.ones((1, 1000))) == 0).any()), drops.layers[0].rate)
masked = settled(tf.keras.Sequential([layers.Masking(input_shape=(4, 2)), Shown(2)]))
x = numbers(2, 4, 2)
first = masked.predict(x)
x[:, 2:] = 0
print(rounded(first), rounded(masked.predict(x)))
inputs, state, memory = tf.keras.Input((4, 2)), tf.keras.Input((2,)), tf.keras.Input((2,))
begun = settled(tf.keras.Model([inputs, state, memory], Shown(2)(inputs, initial_state=[state, memory])))
print(rounded(begun.predict([numbers(2, 4, 2), numbers(2, 2), numbers(2, 2)])))
