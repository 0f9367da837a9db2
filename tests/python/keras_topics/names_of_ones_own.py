"""custom_object_scope, get_custom_objects and registered classes."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused

layers = tf.keras.layers
utils = tf.keras.utils
activations = tf.keras.activations
@utils.register_keras_serializable(package="mine")
class Twice(layers.Layer):
    def call(self, inputs):
        return 2.0 * inputs


def half(x):
    return 0.5 * x


model = tf.keras.Sequential([Twice(input_shape=(2,)), layers.Dense(1, activation=half)])
told = model.to_json()
print("mine>Twice" in told, refused(tf.keras.models.model_from_json, told)[0])
with utils.custom_object_scope({"half": half}):
    print([type(layer).__name__ for layer in tf.keras.models.model_from_json(told).layers])
utils.get_custom_objects()["half"] = half
print(activations.get("half") is half, layers.deserialize(layers.serialize(layers.Dense(3, activation="half"))).units)
del utils.get_custom_objects()["half"]
