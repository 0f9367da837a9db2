"""BatchNormalization and LayerNormalization along other dimensions than the last: weights, training and not, masks, configs, files."""

import json

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) * 37 % 11) / np.float32(11)


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def trained(layer, *shape):
    with tf.Graph().as_default():
        inputs = tf.keras.Input(shape[1:])
        model = tf.keras.Model(inputs, layers.Flatten()(layer()(inputs)))
        model.compile("sgd", "mse")
        normal = model.layers[1]
        print(type(normal).__name__, shape, [(weight.name, weight.shape.as_list()) for weight in normal.weights])
        print(json.dumps(normal.get_config(), sort_keys=True))
        x = numbers(*shape)
        y = numbers(shape[0], int(np.prod(shape[1:])))[:, ::-1]
        print(rounded(model.predict(x))[:8], rounded(model.fit(x, y, epochs=3, verbose=0, shuffle=False, batch_size=2).history["loss"]))
        print([rounded(value) for value in normal.get_weights()], rounded(model.predict(x))[-8:])
        again = tf.keras.Model.from_config(model.get_config())
        again.set_weights(model.get_weights())
        print(np.array_equal(again.predict(x), model.predict(x)), again.get_config() == model.get_config())


for axis, shape in ((1, (4, 3, 2)), (-2, (4, 3, 2)), (1, (4, 2, 3, 3)), (-3, (4, 2, 3, 3)), (2, (4, 2, 3, 3)), ([1, 2], (4, 2, 3, 2)), ([-1, 1], (4, 2, 3)),
                    (-1, (2, 2, 2, 3, 2)), (1, (2, 2, 2, 3, 2)), (3, (2, 2, 2, 3, 2)), ((1,), (4, 3))):
    trained(lambda: layers.BatchNormalization(axis=axis, momentum=0.75), *shape)
# With the epsilon of every day TensorFlow's own rewriting of graphs fails for two dimensions.
for axis, shape, epsilon in ((1, (4, 3, 2), 1e-3), ([1, 2], (4, 3, 2), 1e-6), ((2, 1), (4, 2, 2), 1e-6), (-2, (2, 2, 3, 2), 1e-3)):
    trained(lambda: layers.LayerNormalization(axis=axis, epsilon=epsilon), *shape)
trained(lambda: layers.BatchNormalization(axis=1, scale=False, center=False), 4, 3, 2)
trained(lambda: layers.BatchNormalization(axis=1, gamma_initializer=tf.keras.initializers.Constant(0.5), beta_initializer="ones",
                                          moving_mean_initializer="ones", moving_variance_initializer=tf.keras.initializers.Constant(4.0),
                                          gamma_regularizer="l2", beta_constraint="non_neg"), 4, 3, 2)
print(list(layers.BatchNormalization(axis=[1, -1], name="b").get_config()["axis"]), layers.LayerNormalization(axis=2, name="l").get_config()["axis"])

print("masked")
with tf.Graph().as_default():
    x = numbers(4, 3, 2)
    x[0, 1:], x[2, 2:] = 0, 0
    model = tf.keras.Sequential([layers.Masking(input_shape=(3, 2)), layers.BatchNormalization(momentum=0.5), layers.LSTM(2)])
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    model.compile("sgd", "mse")
    print(rounded(model.fit(x, numbers(4, 2), epochs=3, verbose=0, shuffle=False).history["loss"]), [rounded(w) for w in model.layers[1].get_weights()])

for axis in (3, [1, 1], [0, -5]):
    for layer in (layers.BatchNormalization, layers.LayerNormalization):
        try:
            with tf.Graph().as_default():
                layer(axis=axis)(tf.keras.Input((3, 2)))
        except ValueError as error:
            print(str(error).partition("\n")[0])
for wrong in (1.5, "1"):
    try:
        layers.BatchNormalization(axis=wrong)
    except TypeError as error:
        print(error)
try:
    layers.BatchNormalization(axis=1)(tf.keras.Input((None, 2)))
except ValueError as error:
    print(str(error).partition(" Received")[0])
