"""tf.keras.Model: several inputs and outputs, shared layers, models in models, layers that merge."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def with_weights(model):
    """The same weights everywhere."""
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) for value in np.atleast_1d(values)]


def shown(history):
    print("  ", {name: rounded(values) for name, values in sorted(history.history.items())}, history.epoch)


def refused(title, make):
    try:
        make()
        print(title, "accepted")
    except Exception as error:
        print(title, type(error).__name__, str(error).splitlines()[0].split("Received")[0].split("KerasTensor")[0].split("Tensor(")[0])


x, onehot = numbers(24, 6), tf.keras.utils.to_categorical(np.arange(24) % 3)

print("one input, one output")
inputs = tf.keras.Input(shape=(6,))
hidden = layers.Dense(8, activation="relu")(inputs)
model = tf.keras.Model(inputs, layers.Dense(3, activation="softmax")(hidden))
model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
shown(with_weights(model).fit(x, onehot, epochs=3, batch_size=5, shuffle=False, verbose=0, validation_split=0.25))
print("  ", rounded(model.evaluate(x, onehot, verbose=0)), model.predict(x).shape, model.metrics_names)
print("  ", [(w.name, w.shape.as_list()) for w in model.weights], model.name, [layer.name for layer in model.layers])
print("  ", rounded(model.train_on_batch(x[:4], onehot[:4])[:1]), rounded(model.test_on_batch(x[:4], onehot[:4])))
print("  ", rounded(model.predict_on_batch(x[:1])[0]), model.input.name, model.output.name, model.count_params())
model.summary()

print("two inputs, two outputs, a shared layer")
left, right = tf.keras.Input((6,), name="left"), tf.keras.Input((6,), name="right")
shared = layers.Dense(4, activation="tanh", name="shared")
both = layers.concatenate([shared(left), shared(right)])
first = layers.Dense(3, activation="softmax", name="first")(both)
second = layers.Dense(1, name="second")(layers.Dense(5, activation="relu")(both))
model = tf.keras.Model(inputs=[left, right], outputs=[first, second], name="pair")
model.summary()
print("  ", model.input_names, model.output_names, [layer.name for layer in model.layers], [w.name for w in model.weights])
y2 = numbers(24, 1) * 3 - 1
for title, losses, metrics, weights in (
        ("  lists", ["categorical_crossentropy", "mse"], ["accuracy"], None),
        ("  dicts", {"first": "categorical_crossentropy", "second": "mae"}, {"second": ["mse"]}, {"first": 1.0, "second": 0.2}),
        ("  one for all", "mse", [["accuracy", "mae"], ["mae"]], [0.5, 2.0])):
    print(title)
    model.compile(tf.keras.optimizers.SGD(0.1), losses, metrics=metrics, loss_weights=weights)
    print("  ", model.metrics_names)
    shown(with_weights(model).fit([x, x[::-1]], [onehot, y2], epochs=2, batch_size=7, shuffle=False, verbose=0))
    shown(model.fit({"left": x, "right": x[::-1]}, {"first": onehot, "second": y2}, epochs=1, batch_size=7, shuffle=False, verbose=0,
                    validation_data=([x[:5], x[5:10]], [onehot[:5], y2[:5]])))
    print("  ", rounded(model.evaluate([x, x], [onehot, y2], verbose=0)), [p.shape for p in model.predict([x, x])])
    print("  ", rounded(model.train_on_batch([x, x], {"first": onehot, "second": y2})[:3]))
weights = np.arange(24) / 10.0
model.compile("sgd", ["categorical_crossentropy", "mse"])
shown(with_weights(model).fit([x, x], [onehot, y2], epochs=1, shuffle=False, verbose=0, sample_weight=[weights, weights[::-1]]))
np.random.seed(3)
shown(with_weights(model).fit([x, x], [onehot, y2], epochs=2, batch_size=5, verbose=0))

print("merging layers")
a, b, c = (tf.keras.Input((4,)) for _ in range(3))
merged = {"add": layers.add([a, b, c]), "subtract": layers.subtract([a, b]), "multiply": layers.Multiply()([a, b, c]),
          "average": layers.average([a, b, c]), "maximum": layers.Maximum()([a, b, c]), "minimum": layers.minimum([a, b, c]),
          "concatenate": layers.Concatenate(axis=1)([a, b]), "dot": layers.dot([a, b], axes=1), "cosine": layers.Dot(-1, normalize=True)([a, c])}
model = tf.keras.Model([a, b, c], list(merged.values()))
for name, value in zip(merged, model.predict([numbers(2, 4), numbers(2, 4)[::-1] + 0.25, numbers(2, 4) * 0.5 - 0.25])):
    print("  ", name, value.shape, rounded(value.ravel()))
print("  ", [layer.name for layer in model.layers], model.output_names)
p, q = tf.keras.Input((2, 3)), tf.keras.Input((4, 3))
model = tf.keras.Model([p, q], [layers.Dot(axes=(2, 2))([p, q]), layers.Dot(axes=(1, 1))([p, layers.Dense(2)(layers.Reshape((2, 6))(q))]),
                                layers.Concatenate(axis=1)([p, q]), layers.Add()([p, layers.Reshape((2, 1))(layers.Dense(2)(layers.Flatten()(p)))])])
for value in with_weights(model).predict([numbers(2, 2, 3), numbers(2, 4, 3)]):
    print("  ", value.shape, rounded(value.ravel()[:8]))

print("models in models")
digit = tf.keras.Input((6,))
base = tf.keras.Model(digit, layers.Dense(4, activation="relu")(layers.Dropout(0.0)(digit)), name="base")
one, two = tf.keras.Input((6,)), tf.keras.Input((6,))
apart = layers.Subtract()([base(one), base(two)])
model = tf.keras.Model([one, two], layers.Dense(1, activation="sigmoid")(apart))
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
shown(with_weights(model).fit([x, x[::-1]], np.arange(24) % 2, epochs=2, batch_size=7, shuffle=False, verbose=0))
print("  ", [w.name for w in model.weights], len(model.layers), base.count_params())
model.summary()
encoder = tf.keras.Sequential([layers.Dense(5, activation="relu", input_shape=(6,)), layers.BatchNormalization()], name="encoder")
decoder = tf.keras.Sequential([layers.Dense(6)], name="decoder")
stacked = tf.keras.Sequential([encoder, decoder])
stacked.compile("sgd", "mse")
shown(with_weights(stacked).fit(x, x, epochs=2, batch_size=7, shuffle=False, verbose=0))
print("  ", [layer.name for layer in stacked.layers], len(stacked.weights), len(stacked.trainable_weights))

print("parts of a model")
inner = tf.keras.Model(encoder.input, encoder.layers[0].output)
print("  ", inner.predict(x).shape, inner.get_layer(index=1) is encoder.layers[0], np.allclose(
    inner.predict(x), np.maximum(x @ encoder.get_weights()[0], 0), atol=1e-5))
base.trainable = False
print("  ", [len(model.trainable_weights), len(model.non_trainable_weights)], [layer.trainable for layer in base.layers])
model.compile("sgd", "binary_crossentropy")
before = base.get_weights()
model.train_on_batch([x, x], np.ones(24))
print("  ", all((b == a).all() for b, a in zip(before, base.get_weights())))

wide = tf.keras.Input((7,))
refused("disconnected", lambda: tf.keras.Model(left, first))
refused("no input", lambda: tf.keras.Model(tf.constant(numbers(2, 6)), first))
refused("shapes", lambda: layers.Add()([left, wide]))
refused("one tensor", lambda: layers.Concatenate(axis=1)([p, left]))
refused("subtract three", lambda: layers.Subtract()([left, right, left]))
refused("dot sizes", lambda: layers.Dot(1)([left, wide]))
refused("dot axes", lambda: layers.Dot((1, 1, 1)))
refused("dot no list", lambda: layers.Dot("x"))
refused("layer name", lambda: model.get_layer("foo"))
refused("layer index", lambda: model.get_layer(index=77))
refused("no layer asked", lambda: model.get_layer())
refused("input twice", lambda: tf.keras.Model([left, left], shared(left)))
refused("two shapes", lambda: tf.keras.Input())
refused("two of a name", lambda: tf.keras.Model(left, layers.Dense(2, name="d")(layers.Dense(2, name="d")(left))))
