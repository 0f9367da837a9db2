"""A small network of separable convolutions with what goes past them."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
utils = tf.keras.utils
inputs = tf.keras.Input((8, 8, 3))
x = layers.Activation("relu")(layers.BatchNormalization()(layers.Conv2D(4, 3, strides=2, padding="same", use_bias=False)(inputs)))
past = layers.BatchNormalization()(layers.Conv2D(6, 1, strides=2, padding="same", use_bias=False)(x))
x = layers.BatchNormalization()(layers.SeparableConv2D(6, 3, padding="same", use_bias=False)(x))
x = layers.add([layers.MaxPooling2D(3, strides=2, padding="same")(x), past])
model = settled(tf.keras.Model(inputs, layers.Dense(3, activation="softmax")(layers.GlobalAveragePooling2D()(x))))
model.compile(optimizers.SGD(0.01, momentum=0.9), "categorical_crossentropy", metrics=["acc"])
print(model.count_params(), len(model.layers), rounded(model.fit(numbers(6, 8, 8, 3), utils.to_categorical(np.arange(6) % 3), epochs=2, batch_size=3, shuffle=False, verbose=0).history["loss"]))
