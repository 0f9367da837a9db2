"""Whole models in HDF5 files, as JSON and as configs, and copies of them."""

import json
import os
import tempfile

import h5py
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


class Scale(layers.Layer):
    def __init__(self, factor=2.0, **options):
        super().__init__(**options)
        self.factor = factor

    def build(self, input_shape):
        self.w = self.add_weight(name="w", shape=(int(input_shape[-1]),), initializer="ones")
        super().build(input_shape)

    def call(self, inputs):
        return inputs * self.w * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


def without_ids(told):
    """tf.keras numbers objects that several layers may share."""
    if isinstance(told, dict):
        return {name: without_ids(value) for name, value in told.items() if name != "shared_object_id"}
    return [without_ids(one) for one in told] if isinstance(told, list) else told


def square(t):
    return t * t


def chain():
    return tf.keras.Sequential([layers.Dense(5, activation="relu", input_shape=(6,), kernel_regularizer=tf.keras.regularizers.l2(0.01)),
                                layers.BatchNormalization(), layers.Dropout(0.0), layers.Dense(2, name="last")])


def graph():
    a, b = tf.keras.Input((6,), name="a"), tf.keras.Input((6,), name="b")
    shared = layers.Dense(4, activation="tanh")
    inner = chain()
    joined = layers.Concatenate(axis=1)([shared(a), shared(b), inner(a)])
    return tf.keras.Model([a, b], [layers.Dense(2, name="out")(joined), layers.Dense(1)(inner(b))], name="pair")


def over_time():
    inputs = tf.keras.Input((5, 3))
    h = layers.Bidirectional(layers.LSTM(3, return_sequences=True))(layers.Masking()(inputs))
    h, state = layers.GRU(3, return_sequences=True, return_state=True)(layers.TimeDistributed(layers.Dense(3))(h))
    return tf.keras.Model(inputs, layers.SimpleRNN(2)(h, initial_state=None if state is None else [layers.Dense(2)(state)]))


def images():
    return tf.keras.Sequential([layers.Conv2D(3, 2, input_shape=(6, 6, 2), padding="same", activation="relu"), layers.MaxPooling2D(),
                                layers.ZeroPadding2D(1), layers.SeparableConv2D(4, 2), layers.UpSampling2D(), layers.GlobalAveragePooling2D(),
                                layers.Dense(3, activation="softmax")])


for make in (chain, graph, over_time, images):
    with tf.Graph().as_default():
        model = make()
        told = json.loads(model.to_json())
        print(json.dumps(without_ids(told), sort_keys=True))
        again = tf.keras.models.model_from_json(model.to_json())
        print([weight.name for weight in again.weights] == [weight.name for weight in model.weights],
              json.loads(again.to_json()) == told, json.loads(json.dumps(type(model).from_config(model.get_config()).get_config())) == told["config"])
        again.set_weights(with_weights(model).get_weights())
        x = [numbers(4, *tensor.shape.as_list()[1:]) for tensor in model.inputs]
        x = x[0] if len(x) == 1 else x
        for one, other in zip(np.ravel(model.predict(x)) if not isinstance(model.predict(x), list) else model.predict(x), again.predict(x)):
            print(np.allclose(one, other, atol=1e-6) if isinstance(model.predict(x), list) else "", end=" ")
        print()
        print([layer.get_weights()[0].shape for layer in tf.keras.models.clone_model(model).layers if layer.weights])

folder = tempfile.mkdtemp()
print("files")
for optimizer in ("sgd", tf.keras.optimizers.SGD(0.1, momentum=0.9), "adam", "rmsprop", tf.keras.optimizers.Adagrad(0.1)):
    path = os.path.join(folder, "model.h5")
    with tf.Graph().as_default(), tf.Session():
        model = chain()
        model.compile(optimizer, "mse", metrics=["mae"])
        with_weights(model).fit(numbers(12, 6), numbers(12, 2), epochs=2, batch_size=4, shuffle=False, verbose=0)
        model.save(path)
        history = model.fit(numbers(12, 6), numbers(12, 2), epochs=2, batch_size=4, shuffle=False, verbose=0)
        print(rounded(history.history["loss"]))
    with h5py.File(path, "r") as file:
        config = json.loads(file.attrs["training_config"])
        print(sorted(file), config["loss"], config["optimizer_config"]["class_name"], sorted(config["optimizer_config"]["config"]),
              len(file["optimizer_weights"].attrs["weight_names"]) if "optimizer_weights" in file and len(file["optimizer_weights"].attrs["weight_names"]) > 1 else 0)
    with tf.Graph().as_default(), tf.Session():
        model = tf.keras.models.load_model(path)
        print([round(float(value), 3) for value in model.evaluate(numbers(12, 6), numbers(12, 2), verbose=0)])
        history = model.fit(numbers(12, 6), numbers(12, 2), epochs=2, batch_size=4, shuffle=False, verbose=0)
        print("again", rounded(history.history["loss"]), round(float(tf.keras.backend.eval(model.optimizer.lr)), 4))
        print(tf.keras.models.load_model(path, compile=False).optimizer is None)
print("custom")
path = os.path.join(folder, "custom.h5")
with tf.Graph().as_default(), tf.Session():
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, layers.Activation(square)(Scale(3.0)(layers.Lambda(lambda t: t + 1.0)(inputs))))
    model.save(path)
    expected = rounded(model.predict(numbers(2, 3)))
with tf.Graph().as_default(), tf.Session():
    model = tf.keras.models.load_model(path, custom_objects={"Scale": Scale, "square": square})
    print(rounded(model.predict(numbers(2, 3))) == expected, expected, model.layers[2].factor)
    with tf.keras.utils.custom_object_scope({"Scale": Scale, "square": square}):
        print(len(tf.keras.models.model_from_json(model.to_json()).layers))
    try:
        tf.keras.models.load_model(path)
    except Exception as error:
        print(type(error).__name__, str(error).split("Please")[0])
with tf.Graph().as_default():
    layer = tf.keras.layers.deserialize({"class_name": "Dense", "config": {"units": 3, "activation": "relu"}})
    print(layer.get_config()["units"], sorted(tf.keras.layers.serialize(layer)))
    for get, what in ((tf.keras.initializers, "he_normal"), (tf.keras.regularizers, "l2"), (tf.keras.constraints, "unit_norm"), (tf.keras.losses, "hinge"),
                      (tf.keras.activations, "selu")):
        print(get.serialize(get.get(what)))
