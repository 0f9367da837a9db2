"""Schedules of learning rates."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
schedules = optimizers.schedules
for schedule in (schedules.ExponentialDecay(0.5, 2, 0.5), schedules.ExponentialDecay(0.5, 2, 0.5, staircase=True), schedules.PiecewiseConstantDecay([1, 3], [0.5, 0.1, 0.01]),
                 schedules.PolynomialDecay(0.5, 4, 0.1, power=2.0), schedules.PolynomialDecay(0.5, 2, cycle=True), schedules.InverseTimeDecay(0.5, 2, 1.0), tf.keras.experimental.CosineDecay(0.5, 4)):
    model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
    model.compile(optimizers.SGD(schedule), "mse")
    print(type(schedule).__name__, rounded([backend.eval(schedule(tf.constant(step))) for step in range(5)], 4), rounded([model.train_on_batch(numbers(4, 3), numbers(4, 1)) for _ in range(4)]))
