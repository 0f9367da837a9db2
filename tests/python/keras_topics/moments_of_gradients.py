"""Adam, Adamax, Nadam and their settings."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
for optimizer in (optimizers.Adam(0.1), optimizers.Adam(0.1, amsgrad=True), optimizers.Adam(0.1, beta_1=0.5, epsilon=0.01), optimizers.Adamax(0.1), optimizers.Nadam(0.1)):
    model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
    model.compile(optimizer, "mse")
    print(type(optimizer).__name__, rounded([model.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(4)], 4), [w.shape for w in optimizer.get_weights()])
