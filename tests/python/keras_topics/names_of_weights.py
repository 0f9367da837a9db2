"""Variables' names, as models, layers and scopes make them."""

import tensorflow.compat.v1 as tf

layers = tf.keras.layers
inputs = tf.keras.Input((4, 3))
h = layers.Bidirectional(layers.LSTM(2, return_sequences=True))(inputs)
h = layers.TimeDistributed(layers.Dense(2))(h)
h = layers.BatchNormalization()(layers.Conv1D(2, 2)(h))
inner = tf.keras.Sequential([layers.Flatten(input_shape=(3, 2)), layers.Dense(2), layers.PReLU()], name="inner")
model = tf.keras.Model(inputs, layers.Dense(1, name="out")(inner(h)))
print([weight.name for weight in model.weights])
print([layer.name for layer in model.layers], [layers.Dense(1).name for _ in range(2)], layers.Dense(1, name="x").name)
with tf.name_scope("outer"):
    print([weight.name for weight in tf.keras.Sequential([layers.Dense(1, input_shape=(1,))]).weights])
