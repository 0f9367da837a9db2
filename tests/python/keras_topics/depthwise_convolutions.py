"""DepthwiseConv2D."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.DepthwiseConv2D(3), 2, 5, 5, 2)
studied(lambda: layers.DepthwiseConv2D((2, 2), strides=(2, 2), padding="same", depth_multiplier=3, activation="elu"), 2, 6, 6, 2)
studied(lambda: layers.DepthwiseConv2D(3, depthwise_regularizer="l2", bias_initializer="ones"), 2, 4, 4, 1)
