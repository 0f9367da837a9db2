"""Losses and metrics beside those of compile: add_loss and add_metric of models and layers, outputs without a loss."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def trained(model, x, y, **options):
    history = model.fit(x, y, epochs=3, batch_size=4, shuffle=False, verbose=0, **options).history
    print(model.metrics_names, {name: rounded(values) for name, values in sorted(history.items())})


x, y = numbers(8, 3), numbers(8, 2)

print("an autoencoder by chance")
with tf.Graph().as_default():
    inputs = tf.keras.Input((3,))
    h = layers.Dense(4, activation="tanh")(inputs)
    mean, log_variance = layers.Dense(2, name="mean")(h), layers.Dense(2, name="log_variance")(h)
    code = layers.Lambda(lambda both: both[0] + K.exp(both[1] / 2) * 0.25)([mean, log_variance])
    outputs = layers.Dense(3, activation="sigmoid")(code)
    model = tf.keras.Model(inputs, outputs)
    reconstruction = tf.keras.losses.binary_crossentropy(inputs, outputs) * 3
    divergence = -0.5 * K.sum(1 + log_variance - K.square(mean) - K.exp(log_variance), axis=-1)
    model.add_loss(K.mean(reconstruction + divergence))
    model.add_metric(divergence, name="divergence", aggregation="mean")
    model.compile("sgd")
    with_weights(model)
    trained(model, x, None)
    trained(model, x, None, validation_data=(x[:4], None))
    print(rounded(model.evaluate(x, None, verbose=0)), rounded(model.train_on_batch(x)), rounded(model.test_on_batch(x)))
    print(rounded(model.predict(x[:2])), [layer.name for layer in model.layers if layer.weights])

print("in training and not")
with tf.Graph().as_default():
    inputs = tf.keras.Input((3,))
    h = layers.BatchNormalization()(layers.Dense(4)(inputs))
    model = tf.keras.Model(inputs, layers.Dense(2)(h))
    model.add_loss(0.1 * tf.reduce_mean(tf.square(h)))
    model.add_metric(tf.reduce_max(tf.abs(h)), name="greatest", aggregation="mean")
    model.compile("sgd", "mse", metrics=["mae"])
    with_weights(model)
    trained(model, x, y)
    print(rounded(model.evaluate(x, y, verbose=0)))

print("in layers")


class Watched(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.dense = layers.Dense(4, activation="relu")

    def call(self, inputs):
        h = self.dense(inputs)
        self.add_loss(0.01 * tf.reduce_sum(tf.abs(h)))
        self.add_metric(tf.reduce_mean(h), name="mean_of_h", aggregation="mean")
        return h


with tf.Graph().as_default():
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, layers.Dense(2)(Watched()(inputs)))
    model.compile("sgd", "mse", metrics=["mae"])
    with_weights(model)
    trained(model, x, y, validation_data=(x[:4], y[:4]))

print("outputs without a loss")
with tf.Graph().as_default():
    inputs = tf.keras.Input((3,))
    h = layers.Dense(4, name="hidden")(inputs)
    model = tf.keras.Model(inputs, [layers.Dense(2, name="left")(h), layers.Activation("relu", name="right")(h), layers.Dense(1, name="third")(h)])
    model.compile("sgd", {"left": "mse", "third": "mae"}, loss_weights={"third": 0.5})
    with_weights(model)
    trained(model, x, {"left": y, "third": y[:, :1]})
    print(rounded(model.evaluate(x, [y, y[:, :1]], verbose=0)), len(model.predict(x)))

for make in (lambda: tf.keras.Model(inputs, h).add_metric(h), lambda: Watched().add_metric(1.0),):
    try:
        with tf.Graph().as_default():
            make()
    except ValueError as error:
        print(str(error).partition("\n")[0])
