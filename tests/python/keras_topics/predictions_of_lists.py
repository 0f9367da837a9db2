"""What predict takes of a generator: a list is the inputs of a model that has several, a tuple has them first."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
inputs = [tf.keras.Input((3,), name="left"), tf.keras.Input((1,), name="right")]
model = settled(tf.keras.Model(inputs, layers.Dense(1)(layers.concatenate(inputs))))
pairs = [[numbers(2, 3) * scale, numbers(2, 1)] for scale in (1, 2)]
print(rounded(model.predict_generator(iter(pairs), steps=2)))
print(rounded(model.predict_generator(((pair, None) for pair in pairs), steps=2)))
print(rounded(model.predict((pair for pair in pairs), steps=1)))
