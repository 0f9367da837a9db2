"""Operators on values, and what they are in numpy."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import refused

a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(2.0)
print((a + b).numpy().tolist(), (a * a - b / 2.0).numpy().tolist(), (a @ a).numpy().tolist(), (-a).numpy().tolist(), (a ** 2).numpy().tolist(), (a // b).numpy().tolist(), (a % b).numpy().tolist())
print((a > b).numpy().tolist(), bool(b > 1.0), float(b), int(tf.constant(3)), a[1, 0].numpy(), a[:, 1].numpy().tolist(), len(a), [row.numpy().tolist() for row in a])
print(a.shape, a.dtype.name, tf.executing_eagerly(), np.sum(a), np.array(a).dtype.name, tf.reduce_sum(a, axis=0).numpy().tolist())
print(tf.constant("word").numpy(), tf.strings.join([tf.constant("a"), "b"]).numpy(), refused(lambda: tf.constant([1, 2]) + tf.constant([1, 2, 3]))[0])
