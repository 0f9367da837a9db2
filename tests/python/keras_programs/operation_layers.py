"""Functional models with functions of TensorFlow between their layers: the layers that stand for them, configs and files."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) * 37 % 11) / np.float32(11)


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def ordered(value):
    if isinstance(value, dict):
        newer = {"experimentalType", "grad_a", "grad_b"}  # than the ops of TensorFlow 1
        return {key: ordered(value[key]) for key in sorted(value) if key not in newer}
    if isinstance(value, (list, tuple)):
        return [ordered(one) for one in value]
    return value.tolist() if hasattr(value, "tolist") else value


def shown(model, *x):
    print([(layer.name, type(layer).__name__) for layer in model.layers])
    for told in model.get_config()["layers"]:
        if told["class_name"] == "TensorFlowOpLayer":
            print(ordered(told))
    print(rounded(model.predict(list(x))[:8]) if len(model.outputs) == 1 else [rounded(one) for one in model.predict(list(x))])


print("two inputs, several outputs")
with tf.Graph().as_default():
    inputs, other = tf.keras.Input((3,)), tf.keras.Input((3,))
    h = layers.Dense(4)(inputs)
    h = tf.nn.relu(h) + 1.0
    both = tf.concat([h, layers.Dense(2)(other) * 2], axis=1)
    mean = tf.reduce_mean(both, axis=1, keepdims=True)
    part = inputs[:, :2] - other[:, 1:]
    model = with_weights(tf.keras.Model([inputs, other], [layers.Dense(1)(mean), part, tf.split(h, 2, axis=1)[1]]))
    model.summary()
    x = numbers(4, 3)
    shown(model, x, x + 1)
    again = tf.keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    print([rounded(one) for one in again.predict([x, x + 1])], [layer.name for layer in again.layers])

print("trained")
with tf.Graph().as_default():
    inputs = tf.keras.Input((4,))
    h = layers.Dense(3, activation="tanh")(inputs)
    h = tf.clip_by_value(h, -0.25, 0.25) * tf.constant([1.0, 2.0, 3.0])
    h = layers.BatchNormalization()(tf.transpose(tf.transpose(h)))
    outputs = layers.Dense(1)(-h / 2.0 + K.square(h))
    model = with_weights(tf.keras.Model(inputs, outputs))
    shown(model, numbers(5, 4))
    model.compile("sgd", "mse", metrics=["mae"])
    print(rounded(model.fit(numbers(6, 4), numbers(6, 1), epochs=3, batch_size=2, shuffle=False, verbose=0).history["loss"]))
    print(rounded(model.evaluate(numbers(6, 4), numbers(6, 1), verbose=0)), [weight.name for weight in model.weights])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.h5")
        model.save(path)
        loaded = tf.keras.models.load_model(path)
        print([layer.name for layer in loaded.layers], rounded(loaded.predict(numbers(5, 4))))

print("what is no tensor of a model is a constant")
with tf.Graph().as_default():
    inputs = tf.keras.Input((3,))
    shown(tf.keras.Model(inputs, tf.matmul(inputs, tf.range(6, dtype=tf.float32)[:, None][:3]) + tf.cast(tf.shape(inputs)[1], tf.float32)), numbers(2, 3))

print("layers and models of the program's, several calls")


class Scaled(layers.Layer):
    def call(self, inputs):
        return tf.nn.softmax(inputs) * 2.0


with tf.Graph().as_default():
    inputs = tf.keras.Input((3,))
    inner = tf.keras.Sequential([layers.Dense(3, input_shape=(3,))])
    scaled = Scaled()
    outputs = scaled(inner(inputs) + inputs) + inner(tf.sqrt(inputs))
    model = with_weights(tf.keras.Model(inputs, layers.add([outputs, layers.Lambda(lambda t: t * 3.0)(tf.abs(inputs))])))
    shown(model, numbers(2, 3))

print("used more than once")
with tf.Graph().as_default():
    inputs = tf.keras.Input((4,))
    doubled = inputs * 2.0
    first, second = tf.split(doubled + 1.0, 2, axis=1)
    heads = [layers.concatenate([layers.Dense(2)(doubled), doubled]), layers.Dense(1)(first), layers.Dense(1)(second), doubled]
    model = with_weights(tf.keras.Model(inputs, heads))
    shown(model, numbers(2, 4))

print("shapes and types")
with tf.Graph().as_default():
    inputs = tf.keras.Input((2, 3), dtype="int32")
    outputs = tf.reshape(tf.one_hot(inputs, 4), (-1, 24))
    model = tf.keras.Model(inputs, [outputs, tf.equal(inputs, 1), tf.squeeze(tf.expand_dims(inputs, -1), [-1])])
    shown(model, np.arange(6).reshape(1, 2, 3) % 4)
