"""get_gradients, get_updates and backend.function train without compile."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,), activation="tanh"), layers.Dense(1)]))
target = backend.placeholder((None, 1))
loss = backend.mean(backend.square(model.output - target))
optimizer = optimizers.SGD(0.5)
step = backend.function([model.input, target], [loss], updates=optimizer.get_updates(loss, model.trainable_weights))
print(rounded([step([numbers(4, 3), numbers(4, 1)])[0] for _ in range(4)]))
gradients = backend.function([model.input, target], backend.gradients(loss, model.trainable_weights))
print([rounded(one) for one in gradients([numbers(4, 3), numbers(4, 1)])])
