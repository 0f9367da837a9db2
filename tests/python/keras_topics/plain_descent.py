"""SGD with momentum, Nesterov's and decay."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
for options in ({}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"decay": 0.1}, {"learning_rate": 0.5}, {"lr": 0.2}):
    model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
    model.compile(optimizers.SGD(**options), "mse")
    print(options, rounded([model.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(4)], 4), len(model.optimizer.weights))
