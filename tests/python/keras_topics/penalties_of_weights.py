"""Regularizers alone, in layers, by name and config."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
regularizers = tf.keras.regularizers
x = tf.constant([[1.0, -2.0], [0.5, 0.0]])
for regularizer in (regularizers.l1(0.1), regularizers.l2(0.1), regularizers.l1_l2(0.1, 0.2), regularizers.get("l2"), regularizers.L1L2(l2=0.5)):
    print(type(regularizer).__name__, rounded(backend.eval(regularizer(x)), 4), rounded(regularizer.get_config()))
model = tf.keras.Sequential([layers.Dense(2, kernel_regularizer=regularizers.l2(0.1), bias_regularizer="l1", input_shape=(3,))])
settled(model).compile("sgd", "mse")
print(rounded(backend.eval(tf.add_n(model.losses))), rounded([model.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(3)]))
print(regularizers.serialize(regularizers.l2(0.5)), refused(regularizers.get, "l3"))
