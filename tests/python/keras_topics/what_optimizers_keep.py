"""The weights of an optimizer, taken from one model to another."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
def made():
    model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
    model.compile(optimizers.Adam(0.1), "mse")
    return model


first, second = made(), made()
losses_of_first = [first.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(4)]
second.train_on_batch(numbers(4, 3), numbers(4, 2))
print(rounded(losses_of_first, 4), rounded(second.optimizer.get_weights()[1:3]), backend.get_value(first.optimizer.iterations))
second.set_weights(first.get_weights())
second.optimizer.set_weights(first.optimizer.get_weights())
print([rounded(model.train_on_batch(numbers(4, 3), numbers(4, 2)), 4) for model in (first, second)])
