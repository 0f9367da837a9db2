"""Names of weights in sequential models: by build(), by a call and by fit; and options of layers that are refused."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers


def names(model):
    return [weight.name for weight in model.weights]


def two():
    tf.keras.backend.clear_session()
    return tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])


model = two()
model.build((None, 4))
print(names(model), model.built)
model(tf.zeros([2, 4]))
print(names(model))
model = two()
model(tf.zeros([2, 4]))
print(names(model))
model = two()
model(tf.keras.Input((4,)))
print(names(model))
model = two()
model.compile("sgd", "mse")
model.fit(numbers(6, 4), numbers(6, 2), verbose=0)
print(names(model), [one.name for one in model.inputs + model.outputs])
model = two()
model.build((None, 4))
model.compile("sgd", "mse")
model.fit(numbers(6, 4), numbers(6, 2), verbose=0)
print(names(model))
tf.keras.backend.clear_session()
model = tf.keras.Sequential([tf.keras.Sequential([layers.Dense(3)]), layers.Dense(2)])
model.build((None, 4))
print(names(model))
tf.keras.backend.clear_session()
inputs = tf.keras.Input((4,))
print(names(tf.keras.Model(inputs, layers.Dense(1)(tf.keras.Sequential([layers.Dense(3)])(inputs)))))


class Whole(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.Sequential([layers.Dense(3), layers.Dense(1)])

    def call(self, inputs):
        return self.inner(inputs)


tf.keras.backend.clear_session()
model = Whole()
model.compile("sgd", "mse")
model.fit(numbers(6, 4), numbers(6, 1), verbose=0)
print(names(model))

# Numbers that may not be negative, and how attention scores.
for options in ({"threshold": -1.0}, {"negative_slope": -1.0}, {"max_value": -1.0}, {"threshold": None}):
    print(refused(layers.ReLU, **options))
print(refused(layers.ThresholdedReLU, theta=None), refused(layers.Attention, score_mode="product"))
tf.keras.backend.clear_session()
query, value = tf.keras.Input((3, 2)), tf.keras.Input((4, 2))
for options in ({}, {"score_mode": "concat"}, {"score_mode": "concat", "use_scale": True}, {"use_scale": True, "dropout": 0.5}):
    layer = layers.Attention(**options)
    model = tf.keras.Model([query, value], layer([query, value]))
    if layer.weights:
        settled(layer)
    config = layer.get_config()
    print([weight.name for weight in layer.weights], rounded(model.predict([numbers(2, 3, 2), numbers(2, 4, 2)])[0]), sorted(config.items(), key=str))
print(sorted(layers.AdditiveAttention().get_config()))
