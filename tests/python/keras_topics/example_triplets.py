"""One like it and one unlike it, by a loss of three outputs."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
encode = tf.keras.Sequential([layers.Dense(4, activation="relu", input_shape=(5,)), layers.Dense(2), layers.Lambda(lambda x: backend.l2_normalize(x, axis=1))], name="encode")
anchor, like, unlike = (tf.keras.Input((5,)) for _ in range(3))
model = tf.keras.Model([anchor, like, unlike], layers.concatenate([encode(anchor), encode(like), encode(unlike)]))


def triplet(y_true, y_pred):
    a, p, n = y_pred[:, :2], y_pred[:, 2:4], y_pred[:, 4:]
    return backend.maximum(backend.sum(backend.square(a - p), axis=1) - backend.sum(backend.square(a - n), axis=1) + 0.5, 0.0)


settled(model).compile(optimizers.SGD(0.1), triplet)
x = numbers(4, 5)
print(rounded([model.train_on_batch([x, x * 0.9, x[::-1]], np.zeros((4, 1))) for _ in range(3)]), rounded(encode.predict(x[:2])))
