"""Losses and regularizers of values."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

losses = tf.keras.losses
truth, guess = numbers(2, 3), numbers(2, 3)[::-1] * 0.8 + 0.1
for name in ("mse", "mae", "binary_crossentropy", "categorical_crossentropy", "hinge", "logcosh", "kld", "poisson", "huber"):
    print(name, rounded(losses.get(name)(truth, guess).numpy()))
print(round(float(losses.BinaryCrossentropy(from_logits=True)(truth, guess)), 4), rounded(losses.MeanSquaredError(reduction="none")(truth, guess).numpy()), round(float(losses.CategoricalCrossentropy(label_smoothing=0.1)(truth, guess, sample_weight=[1.0, 0.0])), 4))
print(round(float(tf.keras.regularizers.l1_l2(0.1, 0.2)(tf.constant(truth))), 4), rounded(tf.keras.constraints.MaxNorm(1.0)(tf.constant(truth)).numpy()))
