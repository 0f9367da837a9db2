"""GaussianNoise adds normal numbers in training only."""

import numpy as np
import tensorflow.compat.v1 as tf

layers = tf.keras.layers
backend = tf.keras.backend
layer = layers.GaussianNoise(0.5)
zeros = tf.zeros((100, 50))
quiet, noisy = backend.get_session().run([layer(zeros, training=False), layer(zeros, training=True)])
print(np.abs(quiet).max(), round(float(noisy.std()), 1), abs(float(noisy.mean())) < 0.05, sorted(layer.get_config()))
