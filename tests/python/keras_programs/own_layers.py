"""Layers and models of the program's own classes: build, call, add_weight, add_loss, get_config; subclassed models; Lambda."""

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


class Linear(layers.Layer):
    def __init__(self, units=2, **options):
        super().__init__(**options)
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight("w", shape=(input_shape[-1], self.units), initializer="random_normal", trainable=True)
        self.b = self.add_weight(name="b", shape=(self.units,), initializer="zeros", regularizer=tf.keras.regularizers.l2(0.1))
        super().build(input_shape)

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        return {**super().get_config(), "units": self.units}


class Noisy(layers.Layer):
    """Another thing in training."""

    def call(self, inputs, training=None):
        return inputs * 2.0 if training else inputs


class Penalty(layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate, self.inner = rate, Linear(3, name="inside")

    def call(self, inputs):
        self.add_loss(self.rate * tf.reduce_mean(tf.square(inputs)))
        return self.inner(inputs)


class Pair(layers.Layer):
    """Of two tensors two."""

    def build(self, input_shape):
        print("shapes", [shape.as_list() for shape in input_shape])
        super().build(input_shape)

    def call(self, inputs):
        a, b = inputs
        return [a + b, a * b]


class Scaled(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.scale = tf.Variable(2.0, name="scale")
        self.steps = tf.Variable(0.0, name="steps", trainable=False)

    def call(self, inputs, factor=1.0):
        return inputs * self.scale * factor


class MyModel(tf.keras.Model):
    def __init__(self, classes=2):
        super().__init__(name="my_model")
        self.dense_1 = layers.Dense(5, activation="tanh")
        self.blocks = [Linear(4), layers.Dropout(0.0)]
        self.dense_2 = layers.Dense(classes)

    def call(self, inputs, training=False):
        x = self.dense_1(inputs)
        for block in self.blocks:
            x = block(x)
        return self.dense_2(x)


class TwoInputs(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = layers.Dense(3), layers.Dense(3), layers.Dense(1)

    def call(self, inputs):
        a, b = inputs
        return self.out(self.first(a) + self.second(b))


x, y = numbers(12, 6), numbers(12, 2)
with tf.Graph().as_default():
    model = tf.keras.Sequential([Linear(4, input_shape=(6,)), Noisy(), Penalty(0.5), Linear(2, name="last")])
    model.compile("sgd", "mse", metrics=["mae"])
    history = with_weights(model).fit(x, y, epochs=3, batch_size=5, shuffle=False, verbose=0)
    print({name: rounded(values) for name, values in sorted(history.history.items())})
    print([(weight.name, weight.shape.as_list()) for weight in model.weights])
    print(rounded(model.evaluate(x, y, verbose=0)), rounded(model.predict(x[:2])))
    model.summary()
    layer = model.layers[0]
    print(sorted(layer.get_config().items(), key=str), layer.count_params(), layer.input_shape, layer.output_shape)
    twin = Linear.from_config(layer.get_config())
    print(twin.units, twin.name, twin.built, layer.built)
with tf.Graph().as_default():
    a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
    added, product = Pair()([a, b])
    model = tf.keras.Model([a, b], [added, Scaled()(product, factor=3.0)])
    print([rounded(value) for value in model.predict([numbers(2, 3), numbers(2, 3) + 1])])
    print([(w.name, w in model.trainable_weights) for w in model.weights])
    model.summary()
with tf.Graph().as_default():
    model = MyModel()
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    print(model.built, [layer.name for layer in model.layers])
    model.fit(x, y, epochs=1, batch_size=12, verbose=0)
    model.set_weights([0.0 * weight for weight in model.get_weights()])
    with_weights(model)
    history = model.fit(x, y, epochs=3, batch_size=5, shuffle=False, verbose=0, validation_data=(x, y))
    print({name: rounded(values) for name, values in sorted(history.history.items())})
    print([(weight.name, weight.shape.as_list()) for weight in model.weights])
    print(rounded(model.evaluate(x, y, verbose=0)), model.predict(x).shape)
    model.summary()
with tf.Graph().as_default():
    model = TwoInputs()
    model.compile("sgd", "mse")
    model.train_on_batch([x, x * 2], y[:, :1])
    model.set_weights([0.0 * weight for weight in model.get_weights()])
    with_weights(model)
    print(round(float(model.train_on_batch([x, x * 2], y[:, :1])), 4), round(float(model.test_on_batch([x, x * 2], y[:, :1])), 4))
    print(model.predict([x, x]).shape, model.count_params())
with tf.Graph().as_default():
    model = MyModel(3)
    model.build((None, 6))
    print([weight.shape.as_list() for weight in model.get_weights() and model.weights])
    out = with_weights(model)(tf.constant(x, tf.float32))
    print(out.shape.as_list())
with tf.Graph().as_default():
    inputs = tf.keras.Input((4,))
    mean, scale = layers.Dense(2)(inputs), layers.Dense(2)(inputs)
    both = layers.Lambda(lambda args: args[0] + tf.exp(args[1]), name="both")([mean, scale])
    out = layers.Lambda(lambda v, k: v * k, arguments={"k": 3.0})(both)
    model = with_weights(tf.keras.Model(inputs, out))
    print(rounded(model.predict(numbers(3, 4))), [layer.name for layer in model.layers])
    model = tf.keras.Sequential([layers.Lambda(lambda t: t - 1.0, input_shape=(3,)), layers.Flatten()])
    print(rounded(model.predict(numbers(2, 3))), model.layers[0].output_shape)
    custom = tf.keras.models.clone_model(tf.keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.Dense(1)]))
    print([weight.shape.as_list() for weight in custom.weights])
for make in (lambda: Linear(2, wrong=1), lambda: Penalty(0.1).get_config(), lambda: layers.Layer().add_weight("w", (2, 2), wrong=1)):
    try:
        print("accepted", make())
    except Exception as error:
        print(type(error).__name__)
