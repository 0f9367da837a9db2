"""A policy learns by rewards that weigh its loss."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
model = settled(tf.keras.Sequential([layers.Dense(4, activation="tanh", input_shape=(3,)), layers.Dense(2, activation="softmax")]))
action, reward = backend.placeholder((None,), dtype="int32"), backend.placeholder((None,))
chosen = backend.sum(model.output * backend.one_hot(action, 2), axis=1)
loss = -backend.mean(backend.log(chosen) * reward) - 0.01 * backend.mean(backend.sum(-model.output * backend.log(model.output), axis=1))
train = backend.function([model.input, action, reward], [loss], updates=optimizers.Adam(0.1).get_updates(loss, model.trainable_weights))
states = numbers(5, 3)
for _ in range(3):
    actions = model.predict(states).argmax(axis=1)
    print(round(float(train([states, actions, 1.0 - actions])[0]), 4), actions.tolist())
