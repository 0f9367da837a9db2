"""get_config, from_config, JSON and clone_model."""

import json

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
inputs = tf.keras.Input((4,), name="in")
h = layers.Dense(3, activation="relu", name="h")(inputs)
model = tf.keras.Model(inputs, [layers.Dense(1, name="y")(h), layers.Add(name="twice")([h, h])], name="net")
config = model.get_config()
print([(layer["class_name"], layer["name"], layer["inbound_nodes"]) for layer in config["layers"]], config["input_layers"], config["output_layers"])
again = tf.keras.Model.from_config(config)
told = json.loads(model.to_json())
print(again.name, told["class_name"], tf.keras.models.model_from_json(model.to_json()).count_params(), sorted(told))
copy = tf.keras.models.clone_model(model)
copy.set_weights(settled(model).get_weights())
print(np.allclose(copy.predict(numbers(2, 4))[0], model.predict(numbers(2, 4))[0]), copy.layers[1] is model.layers[1])
chain = tf.keras.Sequential([layers.Dense(2, input_shape=(3,)), layers.Reshape((2, 1))])
print([layer["class_name"] for layer in chain.get_config()["layers"]], tf.keras.Sequential.from_config(chain.get_config()).output_shape)
