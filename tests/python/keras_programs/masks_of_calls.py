"""A mask in the call of a layer of a functional model; Bidirectional with a backward layer of its own; Sequential.pop and what is added to one."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) * 37 % 11) / np.float32(11)


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def losses(model, x, y):
    return rounded(model.fit(x, y, epochs=3, batch_size=2, shuffle=False, verbose=0).history["loss"])


print("a mask of its own")
counts = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0], [0, 1, 1]], bool)
with tf.Graph().as_default():
    inputs, mask = tf.keras.Input((3, 2), name="times"), tf.keras.Input((3,), dtype="bool", name="counts")
    h = layers.LSTM(3, return_sequences=True)(inputs, mask=mask)
    outputs = layers.GRU(2)(h, mask=mask)
    model = with_weights(tf.keras.Model([inputs, mask], outputs))
    model.compile("sgd", "mse")
    x, y = numbers(4, 3, 2), numbers(4, 2)
    print([layer.name for layer in model.layers], rounded(model.predict([x, counts])), losses(model, [x, counts], y))
    for told in model.get_config()["layers"]:
        print(told["name"], told["inbound_nodes"])
    again = tf.keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    print(np.array_equal(again.predict([x, counts]), model.predict([x, counts])))
    model.summary()
    print([(layer.name, layer.input.shape.as_list(), layer.input_shape) for layer in model.layers if layer.name in ("lstm", "gru")])

with tf.Graph().as_default():
    numbers_in = tf.keras.Input((3,), dtype="int32")
    embed = layers.Embedding(5, 2)
    h = embed(numbers_in)
    h = layers.SimpleRNN(2)(h, mask=layers.Embedding(5, 2, mask_zero=True).compute_mask(numbers_in))
    model = with_weights(tf.keras.Model(numbers_in, h))
    print(rounded(model.predict(np.array([[1, 2, 0], [3, 0, 0]]))))

print("two directions")
with tf.Graph().as_default():
    model = tf.keras.Sequential([
        layers.Bidirectional(layers.LSTM(2, return_sequences=True), backward_layer=layers.GRU(3, go_backwards=True, return_sequences=True, activation="relu"),
                             input_shape=(3, 2)),
        layers.Bidirectional(layers.SimpleRNN(2), backward_layer=layers.SimpleRNN(2, go_backwards=True, kernel_regularizer="l2", name="other"),
                             merge_mode="sum")])
    with_weights(model)
    model.compile("sgd", "mse")
    print(rounded(model.predict(x)), losses(model, x, y), [weight.name for weight in model.weights])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.h5")
        model.save(path)
        print(rounded(tf.keras.models.load_model(path).predict(x)))
for forward, backward in ((layers.LSTM(2), layers.LSTM(2)), (layers.LSTM(2), layers.LSTM(2, go_backwards=True, return_state=True)),
                          (layers.LSTM(2), layers.GRU(2, go_backwards=True, return_sequences=True))):
    try:
        layers.Bidirectional(forward, backward_layer=backward)
    except ValueError as error:
        print(str(error).partition("\n")[0])

print("layers that go")
with tf.Graph().as_default():
    model = tf.keras.Sequential([layers.Dense(3, activation="tanh", input_shape=(2,)), layers.Dense(4), layers.Dense(1, name="head")])
    with_weights(model)
    model.compile("sgd", "mse")
    x, y = numbers(4, 2), numbers(4, 1)
    print(losses(model, x, y))
    model.pop()
    print([layer.name for layer in model.layers], model.output_shape, rounded(model.predict(x)))
    model.add(layers.Dense(1, kernel_initializer="ones", name="new_head"))
    model.compile("sgd", "mse")
    print([layer.name for layer in model.layers], losses(model, x, y), [weight.name for weight in model.weights])
    for _ in range(3):
        model.pop()
    print(model.layers, model.built)
    try:
        model.pop()
    except TypeError as error:
        print(error)
    unbuilt = tf.keras.Sequential([layers.Dense(2), layers.Dense(3)])
    unbuilt.pop()
    print(len(unbuilt.layers), unbuilt.built)

print("added to layers in a row")
with tf.Graph().as_default():
    model = tf.keras.Sequential([layers.Dense(3, activation="tanh", input_shape=(2,)), layers.Dense(1)])
    model.add_loss(0.1 * tf.reduce_sum(tf.abs(model.layers[0].output)))
    model.add_metric(tf.reduce_max(model.layers[0].output), name="greatest", aggregation="mean")
    with_weights(model)
    model.compile("sgd", "mse")
    print(losses(model, x, y), rounded(model.evaluate(x, y, verbose=0)), model.metrics_names, rounded(model.predict(x)))
