"""Text in images by CTC."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
inputs, labels, lengths, sizes = tf.keras.Input((6, 8, 1)), tf.keras.Input((3,)), tf.keras.Input((1,), dtype="int64"), tf.keras.Input((1,), dtype="int64")
h = layers.MaxPooling2D((1, 2))(layers.Conv2D(2, 3, padding="same", activation="relu")(inputs))
h = layers.Bidirectional(layers.GRU(3, return_sequences=True), merge_mode="sum")(layers.Dense(4, activation="relu")(layers.Reshape((6, 8))(h)))
chances = layers.Activation("softmax")(layers.Dense(5)(h))
loss = layers.Lambda(lambda x: backend.ctc_batch_cost(x[1], x[0], x[2], x[3]), output_shape=(1,), name="ctc")([chances, labels, lengths, sizes])
model = settled(tf.keras.Model([inputs, labels, lengths, sizes], loss))
model.compile(optimizers.SGD(0.02, clipnorm=5.0), {"ctc": lambda y_true, y_pred: y_pred})
data = [numbers(2, 6, 8, 1), np.array([[0, 1, 2], [3, 3, 0]]), np.full((2, 1), 6), np.array([[3], [2]])]
print(rounded([model.train_on_batch(data, np.zeros((2, 1))) for _ in range(3)]), tf.keras.Model(inputs, chances).predict(data[0]).argmax(axis=-1).tolist())
