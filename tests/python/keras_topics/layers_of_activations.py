"""Advanced activations."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.LeakyReLU(0.1), 2, 4)
studied(lambda: layers.PReLU(alpha_initializer="ones"), 2, 3, 2)
studied(lambda: layers.PReLU(shared_axes=[1]), 2, 3, 2)
studied(lambda: layers.ELU(0.5), 2, 4)
studied(lambda: layers.ThresholdedReLU(0.4), 2, 4)
studied(lambda: layers.Softmax(axis=1), 2, 3, 2)
studied(lambda: layers.Activation("softsign"), 2, 4)
