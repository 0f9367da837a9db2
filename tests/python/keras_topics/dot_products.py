"""Dot over one axis or two, and cosines."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded

layers = tf.keras.layers
a, b = tf.keras.Input((3, 4)), tf.keras.Input((5, 4))
model = tf.keras.Model([a, b], [layers.Dot(axes=2)([a, b]), layers.Dot(axes=(2, 2), normalize=True)([a, b])])
print([(one.shape, rounded(one.ravel()[:6])) for one in model.predict([numbers(2, 3, 4), numbers(2, 5, 4)])])
v = tf.keras.Input((4,))
print(layers.dot([v, tf.keras.Input((4,))], axes=1).shape.as_list(), layers.Dot(axes=1).get_config()["axes"], refused(layers.Dot(1), [a, v]))
