"""Datasets gone through by for."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import refused

pairs = tf.data.Dataset.from_tensor_slices((np.arange(6.0), np.arange(6))).map(lambda x, y: (x * 2.0, y)).filter(lambda x, y: x > 1.0).batch(2)
print([(x.numpy().tolist(), y.numpy().tolist()) for x, y in pairs])
rows = iter(tf.data.Dataset.range(3).repeat(2))
print([int(next(rows)) for _ in range(6)], refused(next, rows)[0], [one.numpy() for one in tf.data.Dataset.from_generator(lambda: iter([1, 4]), tf.int64)])
print(sum(int(one) for one in tf.data.Dataset.range(10).skip(2).take(3)), [one.numpy().tolist() for one in tf.data.Dataset.zip((tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7))).map(lambda a, b: a + b).batch(5)])
